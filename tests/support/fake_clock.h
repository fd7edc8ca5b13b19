#pragma once
// A clock that moves only when told to.

#include "gpubench/core/clock.h"

namespace gpubench::test {

class FakeClock : public Clock {
 public:
  Seconds now() const override { return now_; }
  void advance(Seconds by) { now_ = now_ + by; }

 private:
  Seconds now_{1000};
};

}  // namespace gpubench::test
