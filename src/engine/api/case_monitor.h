#pragma once
// Progress of a case inside its process, and the result of a few of its steps.

#include <cstdint>
#include <string>

#include "engine/plan/plan.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Why a case must stop before its own rule is fulfilled.
enum class StopRequest {
  kNone,
  kInterrupt,  ///< The user ends the run: the case ends as `interrupted`.
  kDeadline,   ///< The time budget is used up: its measurements count.
};

/// Callback interface of a case, on the training thread. steps_finished() runs inside timed windows.
class CaseMonitor {
 public:
  virtual ~CaseMonitor() = default;

  /// Number of further steps that were queued on the device, or, on the CPU, done.
  virtual void steps_finished(std::int64_t /*count*/) {}
  /// The case has lost its connection to another rank and will end with an error.
  virtual void connection_lost() {}
  /// The set-up is done; `opened` is the row before the first epoch.
  virtual void case_opened(const CaseRecord& /*opened*/) {}
  /// An epoch ended. Costs the same after the last epoch as after the first.
  virtual void epoch_finished(const EpochRecord& /*epoch*/) {}
  /// Called after each epoch.
  virtual StopRequest stop_request() { return StopRequest::kNone; }
};

/// Result of a few steps of a case.
struct Pilot {
  RowStatus status = RowStatus::kOk;  ///< That of the case; the figures are valid for `ok` only.
  std::string status_reason;          ///< Empty for `ok`.
  Seconds setup;                      ///< As `setup_seconds` of a case.
  Seconds first_step;                 ///< Lazy initialisation and kernel selection included.
  Seconds step;                       ///< Median of the steps after the first.
  Seconds duration;                   ///< Set-up and steps together.
  std::int64_t steps = 0;             ///< The first included.
  Measured<Bytes> peak_device;
  ResolvedModes modes{};  ///< With those of trials that were missing.
};

}  // namespace gpubench
