#pragma once
// Runs rows in another process or in this one, and what is recorded around them.

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

/// Progress of a sweep, on its thread.
class Progress {
 public:
  virtual ~Progress() = default;

  /// Row `index` of `count` (from 0) begins; `planned` has no measurements.
  virtual void row_started(const Result& planned, std::size_t index, std::size_t count) = 0;
  /// Number of further steps of the case.
  virtual void steps_finished(std::int64_t) {}
  virtual void row_finished(const Result& row) = 0;
};

class Interrupts {
 public:
  virtual ~Interrupts() = default;
  virtual int count() = 0;
  /// Readable from an interrupt until the next call of count(); may be -1.
  virtual int wake_descriptor() const = 0;
};

/// Callback interface of a running row, on one thread. Operations are too short for stop_request().
class RowControl : public CaseMonitor {
 public:
  virtual bool must_abort() { return false; }
  /// Adds descriptors that become readable on an abort or stop; without any, both are polled every second.
  virtual void add_wake_descriptors(std::vector<int>& /*to*/) const {}
};

/// Control of trials: the first interrupt ends them at once, as does `is_over`.
class TrialControl : public RowControl {
 public:
  explicit TrialControl(Interrupts& interrupts, std::function<bool()> is_over = {})
      : interrupts_(interrupts), is_over_(std::move(is_over)) {}
  bool must_abort() override { return interrupts_.count() > 0 || (is_over_ && is_over_()); }
  void add_wake_descriptors(std::vector<int>& to) const override {
    to.push_back(interrupts_.wake_descriptor());
  }

 private:
  Interrupts& interrupts_;
  std::function<bool()> is_over_;
};

struct PilotResult {
  Pilot pilot;
  Seconds process;            ///< Start, pilot and end of its process.
  Measured<Bytes> peak_host;  ///< Largest resident set of its process.
};

class Executor {
 public:
  virtual ~Executor() = default;
  /// Always returns a row; one that ends its process has a status for that. `planned`: the row so far.
  virtual Result run(const Work& work, const Result& planned, RowControl& control) = 0;
  /// Runs a few steps of the case. A failure is in the pilot's status.
  virtual PilotResult run_pilot(const Case& c, Seconds limit, RowControl& control) = 0;
};

struct ExecutionOptions {
  int threads = 0;                    ///< See Engine::configure.
  std::optional<Seconds> timeout;     ///< Of a row; of a case from the start of its process on.
  std::optional<Bytes> memory_limit;  ///< Host memory that a case may allocate; unset: the free memory.
  bool reports_steps = false;
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// Before a row begins. May complete `work`, replace `control` by one of its own, or return the row of work
  /// that need not be tried; after() follows all the same.
  virtual std::optional<Result> before(Work& work, const Result& planned, RowControl*& control) = 0;
  virtual void after(Result& row) = 0;
};

/// Calls before() in this order and after() in the opposite one, the executor between them.
using Observers = std::vector<Observer*>;

Result run_observed(Work work, const Result& planned, RowControl& control, Executor& executor,
                    const Observers& observers);

struct MeteringOptions {
  Seconds idle{2};  ///< Length of the idle measurement before and after each case, of flat power; 0: none.
  std::string why_none{};  ///< Reason for rows without energy, if nothing is measured.
};

/// Waits on the clock; tests move a fake one.
using Sleep = std::function<void(Seconds)>;

/// Adds the energy of each source, or the reason without a sampler, to training cases. Measures idle power
/// once between two cases that follow each other. `sampler` and `clock` outlive the observer.
std::unique_ptr<Observer> make_power_observer(PowerSampler* sampler, const Clock& clock,
                                              const MeteringOptions& options, Sleep sleep);

}  // namespace gpubench
