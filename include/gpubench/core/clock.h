#pragma once
// Where time comes from. Everything that measures takes a Clock, so that tests can hand in a fake one.

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

}  // namespace gpubench
