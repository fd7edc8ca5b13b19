#pragma once
// Clocks that do not move by themselves.

#include "gpubench/core/clock.h"

namespace gpubench::test {

/// Moves only when told to.
class FakeClock : public Clock {
 public:
  Seconds now() const override { return now_; }
  void advance(Seconds by) { now_ = now_ + by; }

 private:
  Seconds now_{1000};
};

/// Every look takes a second, so that each window lasts exactly one.
class TickingClock : public Clock {
 public:
  Seconds now() const override { return {++ticks_}; }

 private:
  mutable double ticks_ = 0;
};

}  // namespace gpubench::test
