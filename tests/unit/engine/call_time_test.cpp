#include "engine/timing/timing.h"

#include <vector>

#include "gpubench/record/environment.h"
#include "support/catch.h"
#include "support/fake_clock.h"

namespace gpubench::test::call_time_test {
namespace {

/// A device whose calls take the given times. The last time applies to all further calls.
class ScriptedDevice : public Device {
 public:
  ScriptedDevice(FakeClock& clock, std::vector<double> seconds)
      : clock_(clock), seconds_(std::move(seconds)) {}
  std::string name() const override { return "scripted"; }
  DeviceRecord record() const override { return {}; }
  void synchronize() override {
    clock_.advance(queued_);
    queued_ = {0};
  }
  void call() {
    const std::size_t index = std::min(calls++, seconds_.size() - 1);
    queued_ = queued_ + Seconds{seconds_[index]};
  }

  std::size_t calls = 0;

 private:
  FakeClock& clock_;
  std::vector<double> seconds_;
  Seconds queued_{0};
};

Seconds time(const std::vector<double>& seconds, const SamplingPolicy& policy, std::size_t* calls = nullptr) {
  FakeClock clock;
  ScriptedDevice device(clock, seconds);
  const Seconds best = best_call_time(device, clock, policy, [&] { device.call(); });
  if (calls != nullptr) *calls = device.calls;
  return best;
}

}  // namespace

TEST_CASE("the result is the best window, without the first call") {
  // Each call fills a window.
  CHECK(time({0.5, 3, 2, 2.5}, {{1}, {100}, 2}).value == approx(2));
  CHECK(time({9, 2}, {{1}, {100}, 3}).value == approx(2));
}

TEST_CASE("short calls are repeated until they fill a window") {
  std::size_t calls = 0;
  CHECK(time({1.0 / 1024}, {{1}, {100}, 2}, &calls).value == 1.0 / 1024);
  CHECK(calls == 1 + 1 + 3 * 1127);
}

TEST_CASE("windows are repeated while they improve, up to the time limit") {
  std::size_t calls = 0;
  CHECK(time({8, 8, 7, 6, 5, 4, 3}, {{1}, {1000}, 2}, &calls).value == approx(3));
  CHECK(calls == 1 + 6 + 2);
  CHECK(time({8, 8, 7, 6, 5, 4, 3}, {{1}, {20}, 2}, &calls).value == approx(6));
  CHECK(calls == 1 + 3);
}

TEST_CASE("work that takes longer than the limit is measured once") {
  std::size_t calls = 0;
  CHECK(time({50}, {{1}, {2}, 5}, &calls).value == approx(50));
  CHECK(calls == 2);
}

}  // namespace gpubench::test::call_time_test
