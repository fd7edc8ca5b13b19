#include <string>
#include <vector>

#include "power/trace/integration.h"
#include "support/catch.h"
#include "support/synthetic_loads.h"

namespace gpubench::test::counter_energy_test {

namespace {

MeterModel counter(double period) {
  MeterModel model;
  model.is_counter = true;
  model.period = period;
  return model;
}

EnergyRecord energy_between(const PowerTrace& trace, double begin, double end) {
  const TimeSpan window = between(begin, end);
  return power::Evaluation(trace).compute_energy({&window, 1});
}

}  // namespace

TEST_CASE("a fine counter measures constant, rising and spiky loads to within 1 %") {
  const std::vector<Load> loads{Load(60, [](double) { return 200.0; }), ramp_load(60),
                                spike_load(60, 2, 0.05, 7)};
  for (const Load& load : loads) {
    const EnergyRecord estimate = energy_between(make_trace(load, counter(0.001), 60, 0.05), 10, 40);
    REQUIRE(estimate.energy.has_value());
    CHECK(estimate.method == EnergyMethod::kCounterDifference);
    CHECK(std::abs(estimate.energy.value().value / load.joules(between(10, 40)) - 1) < 0.01);
  }
}

TEST_CASE("a counter that falls has been reset, which is a gap") {
  const Load load(60, [](double) { return 200.0; });
  MeterModel model = counter(0.001);
  model.reset_at = 20.02;
  const PowerTrace trace = make_trace(load, model, 60, 0.05);
  const EnergyRecord estimate = energy_between(trace, 10, 40);
  REQUIRE(estimate.energy.has_value());
  CHECK(std::abs(estimate.energy.value().value - 6000) < 60);
  CHECK(estimate.coverage.value() < 1);
  CHECK(estimate.coverage.value() > 0.99);
}

TEST_CASE("the peak is the highest reading of a sensor, or the highest mean between changes of a counter") {
  const Load load(60, [](double time) { return time > 20 && time < 23 ? 400.0 : 200.0; });
  PowerTrace trace = make_trace(load, counter(0.01), 60, 0.05);
  CHECK(energy_between(trace, 10, 40).peak.value().value == approx(400).epsilon(0.01));
  for (PowerSample& sample : trace.samples) sample.reading.power = Watts{450};
  CHECK(energy_between(trace, 10, 40).peak.value().value == 450);
}

TEST_CASE("a window below the counter's shortest window is refused, and the recommended one is enough") {
  const Load load = steady_load(60, 3);
  const PowerTrace trace = make_trace(load, counter(0.1), 60, 0.05, 0.1);
  const EnergyRecord estimate = energy_between(trace, 10, 10.4);
  REQUIRE_FALSE(estimate.energy.has_value());
  CHECK_THAT(estimate.energy.reason(),
             contains_text("the timed epochs last only 0.40 s, and the source changes"));
  CHECK_THAT(estimate.energy.reason(), contains_text("use --min-time 4s"));
  const EnergyRecord enough =
      energy_between(trace, 10, 10 + power::Evaluation(trace).least_window().value().value);
  const double truth = load.joules(between(10, 10 + power::Evaluation(trace).least_window().value().value));
  CHECK(enough.energy.value().value == approx(truth).epsilon(0.05));
}

}  // namespace gpubench::test::counter_energy_test
