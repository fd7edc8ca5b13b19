#pragma once
// Who watches a run. The engine tells; what is shown, and where, is the application's affair.

#include <cstddef>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// Called from the thread that runs the sweep. `steps_finished` may be called inside timed windows and must
/// cost next to nothing.
template <class Row>
class Progress {
 public:
  virtual ~Progress() = default;

  /// Row `index` of `count` (from 0) begins; what was asked for is known, nothing is measured yet.
  virtual void row_started(const Row& planned, std::size_t index, std::size_t count) = 0;
  /// So many steps since the case began.
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

}  // namespace gpubench
