#pragma once
// Monotonic clock (replaceable in tests), dates, and deadlines.

#include <ctime>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// A monotonic clock. Implementations are safe to read from several threads.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Returns the time since an arbitrary fixed point. Never decreases.
  virtual Seconds now() const = 0;
};

/// std::chrono::steady_clock.
class SteadyClock : public Clock {
 public:
  Seconds now() const override;
};

/// Returns the time of a clock of the operating system, such as CLOCK_BOOTTIME.
Seconds read_clock(clockid_t clock);

/// Returns `YYYY-MM-DDThh:mm:ssZ`, for labels and file names. Durations never use the wall clock.
std::string utc_timestamp();

/// Returns `YYYY-MM-DDThh:mm:ss.mmmZ`.
std::string utc_timestamp_milliseconds();

/// Deadline by SteadyClock, shared by several waits. Copies expire at the same time.
class Deadline {
 public:
  /// Creates a deadline that never expires.
  Deadline() = default;
  explicit Deadline(Seconds budget);

  bool is_over() const { return left().value <= 0; }
  /// Returns the remaining time: 0 after expiry, infinite if the deadline never expires.
  Seconds left() const;
  /// Returns the remaining time for poll(): rounded up, at most one hour.
  int milliseconds() const;
  /// Returns the earlier of this deadline and the end of `budget` from now.
  Deadline at_most(Seconds budget) const;

 private:
  Seconds end_ = kNever;

  static constexpr Seconds kNever{1e300};
};

}  // namespace gpubench
