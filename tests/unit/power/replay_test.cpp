#include <string>

#include "gpubench/core/error.h"
#include "gpubench/record/environment.h"
#include "log_text.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "support/paths.h"

namespace gpubench::test::replay_test {
namespace {

const std::string kFolder = fixtures_dir() + "/power/";

/// A replayed log with its clock.
struct Replay {
  explicit Replay(const std::string& path) : meters(open_meters("replay:" + path, clock, {})) {}

  double watts_after(double seconds) {
    clock.advance(Seconds{seconds});
    const PowerReading reading = meters.sources.at(0).read();
    return reading.power.has_value() ? reading.power.value().value : -1;
  }
  double joules_after(double seconds, std::size_t source) {
    clock.advance(Seconds{seconds});
    const PowerReading reading = meters.sources.at(source).read();
    return reading.energy.has_value() ? reading.energy.value().value : -1;
  }

  FakeClock clock;
  OpenMeters meters;
};

}  // namespace

TEST_CASE("a replayed log shows the latest sample at or before its time") {
  Replay replay(kFolder + "nvidia-smi.csv");
  REQUIRE(replay.meters.sources.size() == 1);
  CHECK(replay.watts_after(0) == 34.12);
  CHECK(replay.watts_after(1) == 34.12);
  CHECK(replay.watts_after(0.0021) == 61.5);
  CHECK(replay.watts_after(2.01) == 230.71);
  // The last of twelve samples lasts as long as the others, then the log repeats.
  CHECK(replay.watts_after(8.02) == 35.2);
  CHECK(replay.watts_after(0.98) == 35.2);
  CHECK(replay.watts_after(0.02) == 34.12);
  CHECK(replay.watts_after(12.024 * 100 + 2.004) == 228.31);
}

TEST_CASE("a replayed counter restarts with its log") {
  const TempDir folder;
  const std::string head = std::string(kRawLogHeader) + "\n";
  const std::string end = ",nvml,GPU,cuda:0,gpu-board,";
  const std::string path =
      folder.file("raw.csv", head + "10" + end + "100,,,,,\n11" + end + "110,,,,,heat\n").string();
  Replay replay(path);
  CHECK(replay.joules_after(0, 0) == 100);
  CHECK(replay.joules_after(1.5, 0) == 110);
  CHECK(replay.meters.sources[0].read().throttle == "heat");
  CHECK(replay.joules_after(1, 0) == 100);
}

}  // namespace gpubench::test::replay_test
