#include <string>
#include <vector>

#include "power/trace/integration.h"
#include "support/catch.h"
#include "support/synthetic_loads.h"

using namespace gpubench;
using namespace gpubench::test;

namespace {

MeterModel counter(double period) {
  MeterModel model;
  model.is_counter = true;
  model.period = period;
  return model;
}

EnergyRecord energy_between(const PowerTrace& trace, double begin, double end) {
  const TimeSpan window = between(begin, end);
  return power::Evaluation(trace).energy_of({&window, 1});
}

/// A counter as text would show it: seconds since kOrigin and joules.
PowerTrace trace_of_readings(const std::vector<std::pair<double, double>>& readings) {
  PowerTrace trace;
  for (const auto& [seconds, joules] : readings) {
    PowerReading reading;
    reading.energy = Joules{joules};
    trace.samples.push_back({{Load::kOrigin + seconds}, reading});
  }
  return trace;
}

}  // namespace

TEST_CASE("a fine counter gives constant, rising and spiky loads to within 1 %") {
  const std::vector<Load> loads{Load(60, [](double) { return 200.0; }), ramp_load(60),
                                spike_load(60, 2, 0.05, 7)};
  for (const Load& load : loads) {
    const EnergyRecord estimate = energy_between(trace_of(load, counter(0.001), 60, 0.05), 10, 40);
    REQUIRE(estimate.energy.has_value());
    CHECK(estimate.method == EnergyMethod::kCounterDifference);
    CHECK(std::abs(estimate.energy.value().value / load.joules(between(10, 40)) - 1) < 0.01);
  }
}

TEST_CASE("a counter that steps every 100 ms is interpolated between its steps") {
  const Load load(60, [](double) { return 200.0; });
  const EnergyRecord estimate = energy_between(trace_of(load, counter(0.1), 60, 0.05, 0.1), 10.033, 20.077);
  REQUIRE(estimate.energy.has_value());
  CHECK(std::abs(estimate.energy.value().value - 200 * 10.044) < 0.01 * 200 * 10.044);
  CHECK(estimate.source_period.value().value == approx(0.1).epsilon(0.1));
  CHECK(estimate.coverage.value() == 1);
}

TEST_CASE("a counter that falls began anew, which is a gap") {
  const Load load(60, [](double) { return 200.0; });
  MeterModel model = counter(0.001);
  model.reset_at = 20.02;
  const PowerTrace trace = trace_of(load, model, 60, 0.05);
  const EnergyRecord estimate = energy_between(trace, 10, 40);
  REQUIRE(estimate.energy.has_value());
  CHECK(std::abs(estimate.energy.value().value - 6000) < 60);
  CHECK(estimate.coverage.value() < 1);
  CHECK(estimate.coverage.value() > 0.99);
}

TEST_CASE("a gap in a counter's readings loses no joules") {
  const Load load = ramp_load(60);
  MeterModel model = counter(0.1);
  model.gone_from = 20;
  model.gone_until = 20.8;
  const EnergyRecord estimate = energy_between(trace_of(load, model, 60, 0.05), 10, 40);
  REQUIRE(estimate.energy.has_value());
  CHECK(std::abs(estimate.energy.value().value / load.joules(between(10, 40)) - 1) < 0.005);
  CHECK(estimate.coverage.value() < 1);
}

TEST_CASE("windows that touch have only two ends to be unsure of") {
  const Load load(60, [](double) { return 200.0; });
  const PowerTrace trace = trace_of(load, counter(0.1), 60, 0.05);
  std::vector<TimeSpan> epochs;
  for (int i = 0; i < 30; ++i) epochs.push_back(between(10 + i, 11 + i));
  const EnergyRecord whole = energy_between(trace, 10, 40);
  const EnergyRecord parts = power::Evaluation(trace).energy_of(epochs);
  CHECK(parts.energy.value().value == approx(whole.energy.value().value));
}

TEST_CASE("windows with pauses between them leave the pauses out") {
  const Load load(60, [](double time) { return std::fmod(time, 4) < 2 ? 300.0 : 60.0; });
  const PowerTrace trace = trace_of(load, counter(0.01), 60, 0.05, 0.1);
  std::vector<TimeSpan> epochs;
  for (int i = 2; i < 12; ++i) epochs.push_back(between(4 * i, 4 * i + 2));
  const EnergyRecord estimate = power::Evaluation(trace).energy_of(epochs);
  CHECK(estimate.energy.value().value == approx(6000).epsilon(0.01));
}

TEST_CASE("the peak of a counter is that between changes, and that of power where there is a sensor") {
  const Load load(60, [](double time) { return time > 20 && time < 23 ? 400.0 : 200.0; });
  PowerTrace trace = trace_of(load, counter(0.01), 60, 0.05);
  CHECK(energy_between(trace, 10, 40).peak.value().value == approx(400).epsilon(0.01));
  for (PowerSample& sample : trace.samples) sample.reading.power = Watts{450};
  CHECK(energy_between(trace, 10, 40).peak.value().value == 450);
}

TEST_CASE("half the counter's own window is too short, and what it asks for is enough") {
  const Load load = steady_load(60, 3);
  const PowerTrace trace = trace_of(load, counter(0.1), 60, 0.05, 0.1);
  const EnergyRecord estimate = energy_between(trace, 10, 10.4);
  REQUIRE_FALSE(estimate.energy.has_value());
  CHECK_THAT(estimate.energy.reason(), contains_text("the timed epochs last 0.40 s and the source changes"));
  CHECK_THAT(estimate.energy.reason(), contains_text("a window of 4 s would do: --energy-window 4s"));
  const EnergyRecord enough =
      energy_between(trace, 10, 10 + power::Evaluation(trace).least_window().value().value);
  const double truth = load.joules(between(10, 10 + power::Evaluation(trace).least_window().value().value));
  CHECK(enough.energy.value().value == approx(truth).epsilon(0.05));
}
