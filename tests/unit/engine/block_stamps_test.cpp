#include "engine/timing/timing.h"

#include <algorithm>
#include <numeric>

#include "support/catch.h"
#include "support/clock_marks.h"
#include "support/fake_clock.h"

namespace gpubench::test {
namespace {

using Steps = std::vector<std::int64_t>;

Steps sizes_of(const Steps& ends) {
  Steps sizes;
  std::adjacent_difference(ends.begin(), ends.end(), std::back_inserter(sizes));
  return sizes;
}

class MarkingDevice : public Device {
 public:
  std::string name() const override { return "marking"; }
  DeviceRecord record() const override { return {}; }
  void synchronize() override { ++synchronizations; }
  std::unique_ptr<DeviceMarks> make_marks(const Clock& clock, std::size_t) override {
    auto made = std::make_unique<ClockMarks>(clock);
    marks = made.get();
    return made;
  }

  int synchronizations = 0;
  ClockMarks* marks = nullptr;
};

class MarklessDevice : public Device {
 public:
  std::string name() const override { return "markless"; }
  DeviceRecord record() const override { return {}; }
  void synchronize() override {}
};

/// An epoch whose step `i` takes i seconds, from 1.
void pass_epoch(std::int64_t steps, FakeClock& clock, BlockStamps& stamps) {
  stamps.begin_epoch();
  for (std::int64_t step = 1; step <= steps; ++step) {
    clock.advance({static_cast<double>(step)});
    stamps.reach(step);
  }
  clock.advance({100});  // What belongs to the epoch after its steps.
  stamps.end_epoch();
}

}  // namespace

TEST_CASE("an epoch is ten blocks whose steps differ by one at most, or as many as it has steps") {
  CHECK(block_ends(20) == Steps{2, 4, 6, 8, 10, 12, 14, 16, 18, 20});
  CHECK(block_ends(3) == Steps{1, 2, 3});
  for (const std::int64_t steps : {1, 9, 10, 11, 19, 49, 391, 1563}) {
    const Steps ends = block_ends(steps);
    const Steps sizes = sizes_of(ends);
    const auto [least, most] = std::ranges::minmax(sizes);
    CHECK(ends.back() == steps);
    CHECK(static_cast<std::int64_t>(ends.size()) == std::min<std::int64_t>(steps, 10));
    CHECK(least >= 1);
    CHECK(most - least <= 1);
  }
}

TEST_CASE("of an epoch that is replayed in parts, blocks end between the parts, or in what is left") {
  for (std::int64_t steps = 10; steps < 200; ++steps) {
    for (std::int64_t rounds = 10; rounds <= steps; ++rounds) {
      const std::int64_t part = steps / rounds;
      const Steps ends = block_ends(steps, part * rounds, part);
      REQUIRE(ends.size() == 10);
      REQUIRE(ends.back() == steps);
      REQUIRE(std::ranges::min(sizes_of(ends)) >= 1);
      for (const std::int64_t end : ends) REQUIRE((end >= part * rounds || end % part == 0));
    }
  }
}

TEST_CASE("the times of blocks are those of their steps, and together the epoch; nobody waits for them") {
  FakeClock clock;
  MarkingDevice device;
  BlockStamps stamps(device, clock);
  stamps.divide(block_ends(12));
  for (int epoch = 0; epoch < 2; ++epoch) {
    const Seconds start = clock.now();
    pass_epoch(12, clock, stamps);
    const std::vector<double> seconds = stamps.seconds();
    CHECK(seconds == std::vector<double>{1, 2, 3, 4, 5 + 6, 7, 8, 9, 10, 11 + 12 + 100});
    CHECK(std::accumulate(seconds.begin(), seconds.end(), 0.0) == (clock.now() - start).value);
  }
  CHECK(stamps.blocks_per_epoch().value() == 10);
  CHECK(stamps.block_steps() == Steps{1, 1, 1, 1, 2, 1, 1, 1, 1, 2});
  CHECK(device.synchronizations == 0);
}

TEST_CASE("a device without marks gives none, and the reason") {
  FakeClock clock;
  MarklessDevice device;
  BlockStamps stamps(device, clock);
  stamps.divide(block_ends(12));
  pass_epoch(12, clock, stamps);
  CHECK(stamps.seconds().empty());
  CHECK(stamps.block_steps().empty());
  CHECK_THAT(stamps.blocks_per_epoch().reason(), contains_text("NVIDIA GPU"));
}

TEST_CASE("an epoch of which the device does not tell has no times of blocks") {
  FakeClock clock;
  MarkingDevice device;
  BlockStamps stamps(device, clock);
  stamps.divide(block_ends(12));
  pass_epoch(12, clock, stamps);
  device.marks->is_silent = true;
  CHECK(stamps.seconds().empty());
}

}  // namespace gpubench::test
