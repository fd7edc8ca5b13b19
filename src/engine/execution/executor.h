#pragma once
// Runs rows in another process or in this one, with or without energy measurement.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/api/case_monitor.h"
#include "engine/api/engine.h"
#include "engine/plan/describe.h"
#include "engine/plan/work_kinds.h"
#include "gpubench/record/run_record.h"
#include "power/trace/sampler.h"

namespace gpubench {

/// Called from the thread that runs the sweep. `steps_finished` may be called inside timed windows and must
/// cost next to nothing.
template <class Row>
class Progress {
 public:
  virtual ~Progress() = default;

  /// Row `index` of `count` (from 0) begins; what was asked for is known, nothing is measured yet.
  virtual void row_started(const Row& planned, std::size_t index, std::size_t count) = 0;
  /// So many further steps of the case.
  virtual void steps_finished(std::int64_t) {}
  /// The row has its status.
  virtual void row_finished(const Row& row) = 0;
};

/// How often the user has asked to end the run.
class Interrupts {
 public:
  virtual ~Interrupts() = default;
  virtual int count() = 0;
  /// Readable from an interrupt until the next call of count(); -1 where there is none.
  virtual int wake_descriptor() const = 0;
};

/// What a running row hears of the world, and the world of it, wherever it runs. Called from one thread. As
/// it stands nobody interrupts and nobody listens. Operations are too short to be asked to stop.
class RowControl : public CaseMonitor {
 public:
  /// Whether to end at once.
  virtual bool must_abort() { return false; }
  /// Adds descriptors that are readable when this or the request to stop may have changed; without any they
  /// are asked for every second.
  virtual void add_wake_descriptors(std::vector<int>& /*to*/) const {}
};

/// Of trials, which are not worth their end: the first interrupt ends them at once.
class TrialControl : public RowControl {
 public:
  explicit TrialControl(Interrupts& interrupts) : interrupts_(interrupts) {}
  bool must_abort() override { return interrupts_.count() > 0; }
  void add_wake_descriptors(std::vector<int>& to) const override {
    to.push_back(interrupts_.wake_descriptor());
  }

 private:
  Interrupts& interrupts_;
};

/// A pilot and what its process took.
struct PilotResult {
  Pilot pilot;
  Seconds process;            ///< Start, pilot and end of its process.
  Measured<Bytes> peak_host;  ///< Largest resident set of its process.
};

/// Runs work of one kind, a piece at a time.
template <class Work>
class Executor {
 public:
  virtual ~Executor() = default;

  /// The row of the work, whatever happens to it: one that takes its process down is a row too.
  virtual RowOf<Work> run(const Work& work, RowControl& control) = 0;
};

using OpExecutor = Executor<OpWork>;

/// Trainings can be tried as well.
class CaseExecutor : public Executor<Case> {
 public:
  /// A few steps of the case, whatever happens to it: the status says so.
  virtual PilotResult run_pilot(const Case& c, Seconds limit, RowControl& control) = 0;
};

template <class Work>
using ExecutorOf = std::conditional_t<std::is_same_v<Work, Case>, CaseExecutor, OpExecutor>;

/// The data of cases by name, decoded once.
using Datasets = std::map<std::string, Dataset>;

/// What all rows of a run share.
struct ExecutionOptions {
  int threads = 0;                    ///< See Engine::configure.
  std::optional<Seconds> timeout;     ///< Of a row; of a case from the start of its process on.
  std::optional<Bytes> memory_limit;  ///< Host memory that a case may allocate; unset: what is free.
  bool reports_steps = false;         ///< Whether a person watches.
};

// All rows in this process. No timeout, no memory limit, and a crash ends the run. References outlive the
// executor.
std::unique_ptr<CaseExecutor> make_local_executor(const Engine& engine, const Datasets& datasets,
                                                  const Clock& clock);
std::unique_ptr<OpExecutor> make_local_op_executor(const Engine& engine, const Clock& clock);

/// Devices of this process, opened when they are first needed. The engine outlives it.
class OpenDevices {
 public:
  explicit OpenDevices(const Engine& engine) : engine_(engine) {}
  Device& at(const std::string& name);

 private:
  const Engine& engine_;
  std::map<std::string, std::unique_ptr<Device>> devices_;
};

/// The row of an operation, run here. Throws a usage Error for what the engine does not know.
OpRecord run_here(const OpWork& work, const Engine& engine, OpenDevices& devices, const Clock& clock);

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
