#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "log_text.h"
#include "support/catch.h"

namespace gpubench::test::powermetrics_log_test {
namespace {

constexpr double kMinute = 1702814160;  // 2023-12-17 11:56:00 UTC, 12:56 in the log's zone.

std::string block(const std::string& when, const std::string& elapsed, const std::string& rest) {
  return "*** Sampled system activity (" + when + ") (" + elapsed + "ms elapsed) ***\n\n" + rest + "\n";
}

}  // namespace

TEST_CASE("samples with the same stamp of whole seconds are spread over the second") {
  const auto at = [](int second) {
    return block(fmt::format("Sun Dec 17 12:56:{:02} 2023 +0100", second), "500", "GPU Power: 7 mW");
  };
  const PowerLog log = read_text(at(1) + at(1) + at(2) + at(3) + at(3));
  CHECK(list_times(log.traces[0], kMinute) == std::vector<double>{1.25, 1.75, 2.5, 3.25, 3.75});
  CHECK(log.notes == std::vector<std::string>{"time stamps are whole seconds: times may be off by 0.5 s"});
}

TEST_CASE("a log of powermetrics has a trace per rail, without samples for blocks that lack the rail") {
  const std::string text = block("Sun Dec 17 12:56:33 2023 +0100", "1003.00", "GPU Power: 40697 mW") +
                           block("Sun Dec 17 12:56:34 2023 +0100", "1003.00",
                                 "CPU Power: 1.5 W\nCombined Power (CPU + GPU + ANE): 1600 mW") +
                           block("Sun Dec 17 12:56:35 2023 +0100", "1003.00", "GPU Power: 5 mW");
  const PowerLog log = read_text(text);
  CHECK(log.format == "powermetrics");
  REQUIRE(log.traces.size() == 3);
  const std::vector<PowerScope> scopes{PowerScope::kGpuRail, PowerScope::kCpuPackage, PowerScope::kSoc};
  const std::vector<std::vector<double>> watts{{40.697, 0.005}, {1.5}, {1.6}};
  for (std::size_t i = 0; i < log.traces.size(); ++i) {
    CHECK(log.traces[i].facts.scope == scopes[i]);
    CHECK(parse_watts(log.traces[i]) == watts[i]);
  }
  CHECK(log.traces[0].facts.device == "mps");
  CHECK(log.traces[1].facts.device == "cpu");
}

TEST_CASE("a stamp without a zone has the zone of the options, and other line ends are accepted") {
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
