#include "engine/timing/timing.h"

#include "support/catch.h"
#include "support/fake_clock.h"

using namespace gpubench;
using gpubench::test::FakeClock;

namespace {

/// A device whose queue takes a second to drain; time passes only there.
class SlowDevice : public Device {
 public:
  explicit SlowDevice(FakeClock& clock) : clock_(clock) {}
  std::string name() const override { return "slow"; }
  DeviceRecord record() const override { return {}; }
  void synchronize() override {
    clock_.advance(queued_);
    queued_ = {0};
  }
  void queue(Seconds work) { queued_ = queued_ + work; }

 private:
  FakeClock& clock_;
  Seconds queued_{0};
};

}  // namespace

TEST_CASE("a window holds the work queued inside it, though it returns before the work is done") {
  FakeClock clock;
  SlowDevice device(clock);
  TimedWindow window(device, clock);
  device.queue({2.5});
  CHECK(window.close().value == 2.5);
}

TEST_CASE("work queued before a window opens is not in it") {
  FakeClock clock;
  SlowDevice device(clock);
  device.queue({40});
  TimedWindow window(device, clock);
  device.queue({1});
  CHECK(window.close().value == 1);
}
