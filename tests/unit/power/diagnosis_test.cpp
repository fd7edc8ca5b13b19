#include "power/trace/diagnosis.h"

#include "support/catch.h"

namespace gpubench::test::diagnosis_test {
namespace {

constexpr TrialTimes kTimes{{Seconds{0}, Seconds{5}}, {Seconds{5}, Seconds{25}}, {Seconds{25}, Seconds{30}}};

double watts_at(double time, double loaded) { return time >= 5 && time < 25 ? loaded : 40; }

/// Returns readings of 40 W when idle and `loaded` watts under load; the sensor is `lag` seconds late.
PowerTrace trace(double loaded, double lag, bool has_counter) {
  PowerTrace result;
  result.facts.meter = "fake";
  result.facts.part = has_counter ? "with counter" : "without";
  result.facts.device = "cuda:0";
  result.facts.power_quantity = "instantaneous power";
  double joules = 0;
  for (int i = 0; i <= 300; ++i) {
    const double time = 0.1 * i;
    PowerReading reading;
    // Real sensors always vary a little.
    reading.power = Watts{watts_at(time - lag, loaded) + (i % 2 == 0 ? 0.1 : -0.1)};
    if (has_counter) reading.energy = Joules{joules};
    result.samples.push_back({Seconds{time}, reading});
    joules += 0.1 * watts_at(time, loaded);
  }
  return result;
}

}  // namespace

TEST_CASE("a trial measures period, lag, idle power, and energy by counter and by integral") {
  const PowerDiagnosis result = diagnose(trace(300, 0.5, true), kTimes);
  CHECK(result.period.value().value == approx(0.1).epsilon(0.01));
  CHECK(result.lag.value().value == approx(0.5).margin(0.11));
  CHECK(result.idle_before.value().value == approx(40).epsilon(0.02));
  CHECK(result.by_counter.value().value == approx(6000).epsilon(0.01));
  CHECK(result.by_power.value().value == approx(6000 - 0.5 * 260).epsilon(0.01));
}

TEST_CASE("a counter is the best source unless it does not show the load") {
  const std::vector<PowerDiagnosis> sources{diagnose(trace(41, 0, true), kTimes),
                                            diagnose(trace(300, 0, false), kTimes),
                                            diagnose(trace(300, 0, true), kTimes)};
  CHECK(best_source(sources, "cuda:0").part == "fake with counter");
  CHECK_FALSE(sources[0].lag.has_value());
  const BestSource other = best_source({sources[0], sources[1]}, "cuda:0");
  CHECK(other.part == "fake without");
  CHECK_THAT(other.reason, contains_text("instantaneous power"));
}

TEST_CASE("without a source for the device there is a reason") {
  CHECK(best_source({diagnose(trace(300, 0, true), kTimes)}, "cpu").part.empty());
  CHECK_THAT(best_source({}, "mps").reason, contains_text("mps"));
}

}  // namespace gpubench::test::diagnosis_test
