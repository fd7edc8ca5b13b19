#pragma once
// Where the time of a training step goes: some steps under LibTorch's profiler, outside of the timed epochs.
// See docs/profile.md.

#include <cstdint>
#include <functional>
#include <string>

#include <ATen/record_function.h>

#include "gpubench/device.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

// The parts of a training step, named for profilers. Without one a scope costs next to nothing.
inline constexpr const char* kInputScope = "gpubench.input";
inline constexpr const char* kForwardScope = "gpubench.forward";
inline constexpr const char* kBackwardScope = "gpubench.backward";
inline constexpr const char* kOptimizerScope = "gpubench.optimizer";

/// Marks what happens while it lives.
class StepScope {
 public:
  explicit StepScope(const char* name) : record_(at::RecordScope::USER_SCOPE) {
    if (record_.isActive()) record_.before(name);
  }

 private:
  at::RecordFunction record_;
};

/// Runs `step`, which trains one step on `device` and marks its parts (see StepScope), a few times to warm up
/// and then `steps` times under the profiler. Fills record.profile_phases and profile_layers:
/// with figures, or with why there are none. Writes a Chrome trace to `trace_file` where that is not empty,
/// through a temporary file beside it; makes its folder. Never throws: what goes wrong is a line in
/// record.warnings, and the case stays what it was. Trains on: call it when nothing else is to be learnt from
/// the model. Waits for the device.
void profile_steps(const std::function<void()>& step, std::int64_t steps, const std::string& trace_file,
                   Device& device, CaseRecord& record);

}  // namespace gpubench
