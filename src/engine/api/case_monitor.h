#pragma once
// Progress callbacks of a case inside its process, and the result of a pilot.

#include <cstdint>
#include <string>

#include "engine/plan/plan.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Reason to stop a case before its stopping rule is met.
enum class StopRequest {
  kNone,
  kInterrupt,  ///< The user ended the run; the status becomes `interrupted`.
  kDeadline,   ///< The time budget is used up; the measurements so far are valid.
};

/// Callback interface of a case, called on the training thread. steps_finished() runs inside timed windows.
class CaseMonitor {
 public:
  virtual ~CaseMonitor() = default;

  /// Reports `count` more steps: queued on a GPU, finished on a CPU.
  virtual void steps_finished(std::int64_t /*count*/) {}
  /// Reports a lost connection to another rank; the case then ends with an error.
  virtual void connection_lost() {}
  /// Reports the end of the set-up; `opened` is the row before the first epoch.
  virtual void case_opened(const CaseRecord& /*opened*/) {}
  /// Reports an epoch. The cost must not grow with the number of epochs.
  virtual void epoch_finished(const EpochRecord& /*epoch*/) {}
  /// Polled after each epoch.
  virtual StopRequest stop_request() { return StopRequest::kNone; }
};

/// Result of a pilot: a few steps of a case.
struct Pilot {
  RowStatus status = RowStatus::kOk;  ///< Status of the case; the other members are valid for `ok` only.
  std::string status_reason{};        ///< Reason for the status; empty for `ok`.
  Seconds setup{};                    ///< Same quantity as `setup_seconds` of a case.
  Seconds first_step{};               ///< Includes lazy initialization and kernel selection.
  Seconds step{};                     ///< Median of the steps after the first.
  Seconds duration{};                 ///< Total time of set-up and steps.
  std::int64_t steps = 0;             ///< Number of steps, including the first.
  Measured<Bytes> peak_device{};
  ResolvedModes modes{};  ///< Modes after any trials that were still needed.

  // Set after the end of its process.
  Seconds process{};            ///< Lifetime of the process.
  Measured<Bytes> peak_host{};  ///< Peak resident set of the process.
};

}  // namespace gpubench
