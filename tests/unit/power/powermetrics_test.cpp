#include "power/sources.h"

#include <chrono>
#include <thread>

#include "support/catch.h"

namespace gpubench::test::powermetrics_test {
namespace {

std::string block(int second, int milliwatts) {
  return "*** Sampled system activity (Sun Dec 17 12:56:" + std::to_string(second) +
         " 2023 +0100) (1000.00ms elapsed) ***\\nGPU Power: " + std::to_string(milliwatts) + " mW\\n\\n";
}

PowerSources list_sources(const std::string& script, std::string& why_not) {
  return powermetrics_plugin::powermetrics_sources(script, Seconds{5}, why_not);
}

/// What the source shows once it is no longer `before`, within five seconds.
double next_watts(const PowerSource& source, double before) {
  for (int i = 0; i < 500; ++i) {
    const PowerReading reading = source.read();
    if (reading.power.has_value() && reading.power.value().value != before)
      return reading.power.value().value;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return before;
}

}  // namespace

TEST_CASE("the last block that powermetrics printed is what its rails show") {
  std::string why_not;
  const auto sources = list_sources(
      "printf '" + block(30, 4000) + "'; sleep 0.3; printf '" + block(31, 9000) + "'; sleep 5", why_not);
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].facts.scope == PowerScope::kGpuRail);
  CHECK(sources[0].facts.averaging == Seconds{1});
  CHECK_FALSE(sources[0].facts.is_replayed);
  CHECK(sources[0].read().power == Measured<Watts>(Watts{4}));
  CHECK(next_watts(sources[0], 4) == 9);
}

TEST_CASE("a block that is cut waits for its rest") {
  std::string why_not;
  const std::string whole = block(30, 4000);
  const auto sources =
      list_sources("printf '" + whole.substr(0, whole.size() - 12) + "'; sleep 0.2; printf '" +
                       whole.substr(whole.size() - 12) + "'; sleep 5",
                   why_not);
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].read().power == Measured<Watts>(Watts{4}));
}

TEST_CASE("powermetrics that ends shows nothing any more, and one that says nothing is no meter") {
  std::string why_not;
  const auto sources = list_sources("printf '" + block(30, 4000) + "'; sleep 0.2", why_not);
  REQUIRE(sources.size() == 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  sources[0].read();
  CHECK(sources[0].read().power.reason() == "powermetrics has ended");
  CHECK(list_sources("true", why_not).empty());
  CHECK(why_not == "powermetrics tells no power");
}

TEST_CASE("without macOS the meter says so and nothing is started") {
#ifndef __APPLE__
  std::string why_not;
  const MeterEntry& entry = power_meters().require("powermetrics", "--meter");
  CHECK_FALSE(entry.is_automatic);
  const SteadyClock clock;
  CHECK(entry.open({"", clock}, why_not).empty());
  CHECK_THAT(why_not, contains_text("macOS"));
#endif
}

}  // namespace gpubench::test::powermetrics_test
