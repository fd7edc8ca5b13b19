#pragma once
// Time: the clock that everything measures by, which tests replace, dates, and deadlines for waiting.

#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// A monotonic clock. Implementations are safe to read from several threads.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Time since an arbitrary fixed point; never goes back.
  virtual Seconds now() const = 0;
};

/// std::chrono::steady_clock.
class SteadyClock : public Clock {
 public:
  Seconds now() const override;
};

/// The wall clock as `YYYY-MM-DDThh:mm:ssZ`, for labels and file names only: durations never come from it.
std::string utc_timestamp();

/// The same with milliseconds: `YYYY-MM-DDThh:mm:ss.mmmZ`.
std::string utc_timestamp_milliseconds();

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
  /// Returns the remaining time for poll(): rounded up, at most one hour. Longer waits call it again.
  int milliseconds() const;
  /// The earlier of this one and so long from now.
  Deadline at_most(Seconds budget) const;

 private:
  Seconds end_ = kNever;

  static constexpr Seconds kNever{1e300};
};

}  // namespace gpubench
