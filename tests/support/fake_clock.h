#pragma once
// Clocks that tests control.

#include "gpubench/core/clock.h"

namespace gpubench::test {

/// Changes only by advance().
class FakeClock : public Clock {
 public:
  Seconds now() const override { return now_; }
  void advance(Seconds by) { now_ = now_ + by; }

 private:
  Seconds now_{1000};
};

/// Advances by one second at each reading, so that each window lasts exactly one second.
class TickingClock : public Clock {
 public:
  Seconds now() const override { return {++ticks_}; }

 private:
  mutable double ticks_ = 0;
};

}  // namespace gpubench::test
