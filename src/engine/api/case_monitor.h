#pragma once
// Who watches a case from inside its process, and may end it between two epochs.

#include "gpubench/record/epoch_record.h"

namespace gpubench {

/// Why a case is asked to stop before its own rule says so.
enum class StopRequest {
  kNone,
  kInterrupt,  ///< The user ends the run: the case ends as `interrupted`.
  kDeadline,   ///< The time budget is used up: what was measured counts.
};

/// Called from the thread that trains. `steps_finished` is called inside timed windows and must cost next to
/// nothing; the others are called between windows.
class CaseMonitor {
 public:
  virtual ~CaseMonitor() = default;

  /// So many further steps were queued on the device, or, on the CPU, done.
  virtual void steps_finished(std::int64_t count) = 0;
  /// The set-up is done; `opened` has all that is known before the first epoch.
  virtual void case_opened(const CaseRecord& opened) = 0;
  /// An epoch ended. Costs the same after the last epoch as after the first.
  virtual void epoch_finished(const EpochRecord& epoch) = 0;
  /// Asked after each epoch.
  virtual StopRequest stop_request() = 0;
};

}  // namespace gpubench
