#include <string>
#include <vector>

#include "log_text.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::raw_log_test {
namespace {

const std::string kHeading = std::string(kRawLogHeader) + "\n";

PowerSourceFacts board() {
  PowerSourceFacts facts;
  facts.meter = "nvml";
  facts.part = "GPU 0 NVIDIA H200";
  facts.device = "cuda:0";
  facts.scope = PowerScope::kGpuBoard;
  return facts;
}

PowerSample counted(double seconds, double joules) {
  PowerSample sample{Seconds{seconds}, {}};
  sample.reading.energy = Joules{joules};
  return sample;
}

}  // namespace

TEST_CASE("a log of gpubench is read with all its values") {
  const PowerLog log = read_power_log(fixtures_dir() + "/power/gpubench.csv", {});
  CHECK(log.format == "gpubench");
  CHECK(log.is_monotonic);
  REQUIRE(log.traces.size() == 2);
  const PowerTrace& gpu = log.traces[0];
  CHECK(gpu.facts.meter == "nvml");
  CHECK(gpu.facts.part == "GPU 0 NVIDIA H200");
  CHECK(gpu.facts.device == "cuda:0");
  CHECK(gpu.facts.scope == PowerScope::kGpuBoard);
  REQUIRE(gpu.samples.size() == 4);
  CHECK(gpu.samples[1].time == Seconds{1000.1});
  CHECK(gpu.samples[1].reading.energy.value() == Joules{5012.5});
  CHECK(gpu.samples[1].reading.power.value() == Watts{180});
  CHECK(gpu.samples[1].reading.temperature.value() == Celsius{33});
  CHECK(gpu.samples[1].reading.clock.value() == Hertz{1.965e9});
  CHECK(gpu.samples[1].reading.limit.value() == Watts{700});
  CHECK(gpu.samples[1].reading.throttle == "power cap, heat");
  CHECK_FALSE(gpu.samples[2].reading.energy.has_value());
  CHECK(log.traces[1].facts.scope == PowerScope::kCpuPackage);
  CHECK(log.traces[1].samples[2].reading.energy.value() == Joules{90016.75});
}

TEST_CASE("names and reasons are read as written, without separators of fields") {
  PowerSourceFacts facts = board();
  facts.part = " GPU 0, the \"first\"\t";
  PowerSample sample = counted(1, 5);
  sample.reading.throttle = "cap, heat";
  const PowerLog log = read_text(kHeading + raw_log_line(facts, sample));
  CHECK(log.traces[0].facts.part == "GPU 0  the  first");
  CHECK(log.traces[0].samples[0].reading.throttle == "cap, heat");
}

TEST_CASE("a log that was appended to or cut off is read to its end") {
  const std::string line = raw_log_line(board(), counted(1, 5));
  const PowerLog log =
      read_text(kHeading + line + kHeading + raw_log_line(board(), counted(2, 7)) + "3.0000");
  CHECK(log.traces[0].samples.size() == 2);
  CHECK_THAT(log.notes.front(), contains_text("the incomplete last line was ignored"));
}

}  // namespace gpubench::test::raw_log_test
