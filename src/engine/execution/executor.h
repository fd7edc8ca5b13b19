#pragma once
// Interfaces that run rows, in this or another process, and observe them.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/case_monitor.h"
#include "engine/api/engine.h"
#include "engine/plan/work.h"
#include "gpubench/record/run_record.h"
#include "power/trace/sampler.h"

namespace gpubench {

/// Progress callbacks of a sweep, called on its thread. This class ignores them.
class Progress {
 public:
  virtual ~Progress() = default;

  /// Announces the next rows, in the order of their execution. Replaces an earlier announcement.
  virtual void rows_planned(const std::vector<const Result*>& /*rows*/) {}
  /// Reports the start of row `index` (from 0) of `count`; `planned` has no measurements.
  virtual void row_started(const Result& /*planned*/, std::size_t /*index*/, std::size_t /*count*/) {}
  /// Reports `count` more steps of the case.
  virtual void steps_finished(std::int64_t /*count*/) {}
  virtual void row_finished(const Result& /*row*/) {}
};

class Interrupts {
 public:
  virtual ~Interrupts() = default;
  virtual int count() = 0;
  /// Returns a descriptor that is readable after an interrupt until the next count(); -1 if unsupported.
  virtual int wake_descriptor() const = 0;
};

/// Callback interface of a running row, called on one thread. Operations do not poll stop_request().
class RowControl : public CaseMonitor {
 public:
  virtual bool must_abort() { return false; }
  /// Returns descriptors that become readable on an abort or stop. If empty, the caller polls every second.
  virtual std::vector<int> wake_descriptors() const { return {}; }
};

/// Control of trials: aborts at the first interrupt, or if `is_over` returns true.
class TrialControl : public RowControl {
 public:
  explicit TrialControl(Interrupts& interrupts, std::function<bool()> is_over = {})
      : interrupts_(interrupts), is_over_(std::move(is_over)) {}
  bool must_abort() override { return interrupts_.count() > 0 || (is_over_ && is_over_()); }
  std::vector<int> wake_descriptors() const override { return {interrupts_.wake_descriptor()}; }

 private:
  Interrupts& interrupts_;
  std::function<bool()> is_over_;
};

class Executor {
 public:
  virtual ~Executor() = default;
  /// Always returns a row: if the process ends early, the status says why. `planned` is the row so far.
  virtual Result run(const Work& work, const Result& planned, RowControl& control) = 0;
  /// Runs a few steps of the case. Failures are in the pilot's status.
  virtual Pilot run_pilot(const Case& c, Seconds limit, RowControl& control) = 0;
};

struct ExecutionOptions {
  int threads = 0;                    ///< See Engine::configure.
  std::optional<Seconds> timeout;     ///< Time limit of a row; for a case, from the start of its process.
  std::optional<Bytes> memory_limit;  ///< Host memory limit of a case; unset: the available memory.
  bool reports_steps = false;
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// Called before a row. May complete `work`, replace `control`, or return a row to skip the execution;
  /// after() follows in any case.
  virtual std::optional<Result> before(Work& /*work*/, const Result& /*planned*/, RowControl*& /*control*/) {
    return std::nullopt;
  }
  virtual void after(Result& row) = 0;
};

/// before() is called in this order, after() in reverse order.
using Observers = std::vector<Observer*>;

Result run_observed(Work work, const Result& planned, RowControl& control, Executor& executor,
                    const Observers& observers);

/// Waits for a time. Tests advance a fake clock instead.
using Sleep = std::function<void(Seconds)>;

/// Adds the energy of each source to training cases; a null `sampler` adds the reason `why_none`. Consecutive
/// cases share the idle measurement between them. `sampler` and `clock` outlive the observer.
std::unique_ptr<Observer> make_power_observer(PowerSampler* sampler, const Clock& clock, std::string why_none,
                                              Sleep sleep);

}  // namespace gpubench
