#pragma once
// Where cases run: each in a process of its own, or in this one.

#include <memory>
#include <string>
#include <vector>

#include "engine/api/case_monitor.h"
#include "engine/api/engine.h"
#include "engine/execution/progress.h"
#include "engine/plan/describe.h"

namespace gpubench {

/// What a running case hears of the world, and the world of it. Called from one thread. As it stands nobody
/// interrupts and nobody listens.
class CaseControl {
 public:
  virtual ~CaseControl() = default;

  /// Whether to end after the current epoch.
  virtual StopRequest stop_request() { return StopRequest::kNone; }
  /// Whether to end at once.
  virtual bool must_abort() { return false; }
  /// Readable when one of the above may have changed; -1 where they are asked every second.
  virtual int wake_descriptor() const { return -1; }

  /// So many steps since the case began. Called inside timed windows where the case runs in this process.
  virtual void steps_finished(std::int64_t) {}
  virtual void epoch_finished(const EpochRecord&) {}
};

/// Of trials, which are not worth their end: the first interrupt ends them at once.
class TrialControl : public CaseControl {
 public:
  explicit TrialControl(Interrupts& interrupts) : interrupts_(interrupts) {}
  bool must_abort() override { return interrupts_.count() > 0; }
  int wake_descriptor() const override { return interrupts_.wake_descriptor(); }

 private:
  Interrupts& interrupts_;
};

/// A pilot and what its process took.
struct PilotResult {
  Pilot pilot;
  Seconds process;           ///< Start, pilot and end of its process.
  Reading<Bytes> peak_host;  ///< Largest resident set of its process.
};

/// Runs cases one at a time.
class CaseExecutor {
 public:
  virtual ~CaseExecutor() = default;

  /// The row of the case, whatever happens to it: a case that takes its process down is a row too.
  virtual CaseRecord run(const Case& c, CaseControl& control) = 0;

  /// A few steps of the case, whatever happens to it: the status says so.
  virtual PilotResult run_pilot(const Case& c, Seconds limit, CaseControl& control) = 0;
};

/// The data of cases, decoded once.
class DatasetSource {
 public:
  virtual ~DatasetSource() = default;
  virtual const Dataset& dataset_of(const Case& c) const = 0;
};

/// What all cases of a run share.
struct ExecutionOptions {
  int threads = 0;                    ///< See Engine::configure.
  std::optional<Seconds> timeout;     ///< Of a case, from the start of its process on.
  std::optional<Bytes> memory_limit;  ///< Host memory that a case may allocate; unset: what is free.
  bool reports_steps = false;         ///< Whether a person watches.
};

/// All cases in this process. No timeout, no memory limit, and a crash ends the run. References outlive the
/// executor.
std::unique_ptr<CaseExecutor> make_local_executor(const Engine& engine, const DatasetSource& datasets,
                                                  const Clock& clock);

}  // namespace gpubench
