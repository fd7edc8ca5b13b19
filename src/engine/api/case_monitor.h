#pragma once
// What a case tells of itself: to who watches it from inside its process, and by a few steps of it.

#include <cstdint>
#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// Why a case is asked to stop before its own rule says so.
enum class StopRequest {
  kNone,
  kInterrupt,  ///< The user ends the run: the case ends as `interrupted`.
  kDeadline,   ///< The time budget is used up: what was measured counts.
};

/// Called from the thread that trains. `steps_finished` is called inside timed windows and must cost next to
/// nothing; the others are called between windows. As it stands nobody listens and nobody stops the case.
class CaseMonitor {
 public:
  virtual ~CaseMonitor() = default;

  /// So many further steps were queued on the device, or, on the CPU, done.
  virtual void steps_finished(std::int64_t /*count*/) {}
  /// The case has lost its connection to another rank and will end with an error.
  virtual void connection_lost() {}
  /// The set-up is done; `opened` has all that is known before the first epoch.
  virtual void case_opened(const CaseRecord& /*opened*/) {}
  /// An epoch ended. Costs the same after the last epoch as after the first.
  virtual void epoch_finished(const EpochRecord& /*epoch*/) {}
  /// Asked after each epoch.
  virtual StopRequest stop_request() { return StopRequest::kNone; }
};

/// Measured on a few steps of a case, the first of which is dropped.
struct Pilot {
  RowStatus status =
      RowStatus::kOk;         ///< What the case would end as; the figures mean something for `ok` only.
  std::string status_reason;  ///< Empty for `ok`.
  Seconds setup;              ///< As `setup_seconds` of a case.
  Seconds first_step;         ///< Lazy initialisation and kernel selection included.
  Seconds step;               ///< Median of the steps after the first.
  Seconds duration;           ///< Set-up and steps together.
  std::int64_t steps = 0;     ///< How many were tried, the first included.
  Measured<Bytes> peak_device;
};

}  // namespace gpubench
