#pragma once
// Energy of cases, whatever runs them.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/execution/executor.h"
#include "power/trace/sampler.h"

namespace gpubench {

/// How energy is measured around cases.
struct MeteringOptions {
  Seconds idle{2};  ///< Idle power is measured for so long before and after each case, as soon as it is flat;
                    ///< 0: not at all.
  std::optional<Seconds> window;     ///< The timed epochs last at least so long together: more are trained.
  bool is_window_automatic = false;  ///< So long as the slowest source needs, instead.
};

/// Waits for a while on the clock; tests move a fake one.
using Sleep = std::function<void(Seconds)>;

/// Runs cases in `inner` and puts the energy of each source of `sampler` into their rows. Between two cases
/// idle power is measured once, for both. All but `inner` and `sleep` outlive the executor.
std::unique_ptr<CaseExecutor> make_metered_executor(std::unique_ptr<CaseExecutor> inner,
                                                    PowerSampler& sampler, const Clock& clock,
                                                    const MeteringOptions& options, Sleep sleep);

/// Runs cases in `inner` and notes in their rows why there is no energy.
std::unique_ptr<CaseExecutor> make_unmetered_executor(std::unique_ptr<CaseExecutor> inner, std::string why);

}  // namespace gpubench
