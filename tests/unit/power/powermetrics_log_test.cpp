#include <cmath>
#include <string>
#include <vector>

#include "log_text.h"
#include "power/log/stamp.h"
#include "support/catch.h"

namespace gpubench::test::powermetrics_log_test {
namespace {

constexpr double kMinute = 1702814160;  // 2023-12-17 11:56:00 UTC, 12:56 in the log's zone.

std::string block(const std::string& when, const std::string& elapsed, const std::string& rest) {
  return "*** Sampled system activity (" + when + ") (" + elapsed + "ms elapsed) ***\n\n" + rest + "\n";
}

std::vector<double> chained(const std::vector<CoarseStamp>& stamps) {
  std::vector<double> times;
  for (const Seconds time : chained_times(stamps).times) times.push_back(time.value);
  return times;
}

}  // namespace

TEST_CASE("chained times keep within their stamps' seconds where elapsed times do not add up") {
  // The third stamp shows that the first ones were late in their second.
  CHECK(chained({{{10}, {1}}, {{11}, {0.7}}, {{12}, {0.7}}}) == std::vector<double>{10.8, 11.5, 12.2});
  // After a gap of an hour the chain begins anew.
  const std::vector<double> gap = chained({{{10}, {1}}, {{11}, {1}}, {{3611}, {1}}});
  CHECK(gap[2] == 3611.5);
  CHECK(gap[1] - gap[0] == 1);
  // Elapsed times that tell of 1 s where 1.25 s went by: never further than that from the stamp.
  std::vector<CoarseStamp> slow;
  for (int i = 0; i < 40; ++i) slow.push_back({{std::floor(1.25 * i)}, {1}});
  const std::vector<double> times = chained(slow);
  for (std::size_t i = 0; i < times.size(); ++i) {
    CHECK(times[i] >= slow[i].time.value);
    CHECK(times[i] <= slow[i].time.value + 1);
    if (i > 0) CHECK(times[i] > times[i - 1]);
  }
}

TEST_CASE("a log of powermetrics has a trace for each rail, and rails that a block lacks are missing there") {
  const std::string text = block("Sun Dec 17 12:56:33 2023 +0100", "1003.00", "GPU Power: 40697 mW") +
                           block("Sun Dec 17 12:56:34 2023 +0100", "1003.00",
                                 "CPU Power: 1.5 W\nCombined Power (CPU + GPU + ANE): 1600 mW") +
                           block("Sun Dec 17 12:56:35 2023 +0100", "1003.00", "GPU Power: 5 mW");
  const PowerLog log = read_text(text);
  CHECK(log.format == "powermetrics");
  REQUIRE(log.traces.size() == 3);
  const std::vector<PowerScope> scopes{PowerScope::kGpuRail, PowerScope::kCpuPackage, PowerScope::kSoc};
  const std::vector<std::vector<double>> watts{{40.697, -1, 0.005}, {-1, 1.5, -1}, {-1, 1.6, -1}};
  for (std::size_t i = 0; i < log.traces.size(); ++i) {
    CHECK(log.traces[i].facts.scope == scopes[i]);
    CHECK(parse_watts(log.traces[i]) == watts[i]);
  }
  CHECK(log.traces[0].facts.device == "mps");
  CHECK(log.traces[1].facts.device == "cpu");
}

TEST_CASE("a stamp without a zone is read as the options say, and other line ends do no harm") {
  PowerLogOptions options;
  options.utc_offset = Seconds{3600};
  options.clock_offset = Seconds{10};
  const PowerLog log = read_text(
      block("Sun Dec  7 12:56:33 2023", "1003.00", "GPU HW active frequency: 444 MHz\r\nGPU Power: 7 mW\r"),
      options);
  CHECK(std::abs(log.traces[0].samples[0].time.value - (kMinute - 10 * 86400 + 43.5)) < 1e-6);
  CHECK(log.traces[0].samples[0].reading.clock.value() == Hertz{4.44e8});
}

}  // namespace gpubench::test::powermetrics_log_test
