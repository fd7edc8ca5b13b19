#pragma once
// Who watches a run. The engine tells; what is shown, and where, is the application's affair.

#include <cstddef>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// Called from the thread that runs the cases. `step_finished` is called inside timed windows and must cost
/// next to nothing.
class Progress {
 public:
  virtual ~Progress() = default;

  /// Case `index` of `count` (from 0) begins; epochs and batch sizes are known, nothing is measured yet.
  virtual void case_started(const CaseRecord& record, std::size_t index, std::size_t count) = 0;
  /// A step was queued on the device, or, on the CPU, done.
  virtual void step_finished() = 0;
  /// The case has its status.
  virtual void case_finished(const CaseRecord& record) = 0;
};

}  // namespace gpubench
