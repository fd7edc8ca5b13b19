#pragma once
// One budget of time for all that is waited for on the way to something.

#include "gpubench/core/units.h"

namespace gpubench {

/// The moment at which waiting is over, by SteadyClock; handed on to whatever waits, so that several waits
/// share one budget. A value: copies end at the same moment.
class Deadline {
 public:
  /// Never comes.
  Deadline() = default;
  /// So long from now.
  explicit Deadline(Seconds budget);

  bool is_over() const { return left().value <= 0; }
  /// Until then; 0 once it is over, infinite where it never comes.
  Seconds left() const;
  /// What is left as poll() takes it: rounded up, and an hour at most, so who waits for longer asks again.
  int milliseconds() const;
  /// The earlier of this one and so long from now.
  Deadline at_most(Seconds budget) const;

 private:
  Seconds end_ = kNever;

  static constexpr Seconds kNever{1e300};
};

}  // namespace gpubench
