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

bool holds(const EnergyRecord& estimate, double joules) {
  return estimate.energy_low.value().value <= joules && joules <= estimate.energy_high.value().value;
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
    CHECK(holds(estimate, load.joules(between(10, 40))));
  }
}

TEST_CASE("bounds of a counter are the readings about the window's ends") {
  // New figures at 1 s, 2 s, ... each read at once: by then it may be new for up to a poll.
  std::vector<std::pair<double, double>> readings;
  for (int i = 0; i <= 40; ++i) readings.push_back({i, 100.0 * i});
  const EnergyRecord estimate = energy_between(trace_of_readings(readings), 10, 30);
  CHECK(estimate.energy.value().value == approx(2000));
  // At 10 s at least 1000 J were counted, and at most the 1100 J that were new after 10 s.
  CHECK(estimate.energy_low.value().value == approx(3000 - 1100));
  CHECK(estimate.energy_high.value().value == approx(3100 - 1000));
}

TEST_CASE("a counter that falls began anew, which is a gap") {
  const Load load(60, [](double) { return 200.0; });
  MeterModel model = counter(0.001);
  model.reset_at = 20.02;
  const PowerTrace trace = trace_of(load, model, 60, 0.05);
  const EnergyRecord estimate = energy_between(trace, 10, 40);
  REQUIRE(estimate.energy.has_value());
  CHECK(std::abs(estimate.energy.value().value - 6000) < 60);
  CHECK(holds(estimate, 6000));
  CHECK(estimate.coverage.value() < 1);
  CHECK(estimate.coverage.value() > 0.99);
  CHECK((estimate.energy_high.value() - estimate.energy_low.value()).value >
        (energy_between(trace, 21, 51).energy_high.value() - energy_between(trace, 21, 51).energy_low.value())
            .value);
}

TEST_CASE("windows with pauses between them leave the pauses out") {
  const Load load(60, [](double time) { return std::fmod(time, 4) < 2 ? 300.0 : 60.0; });
  const PowerTrace trace = trace_of(load, counter(0.01), 60, 0.05, 0.1);
  std::vector<TimeSpan> epochs;
  for (int i = 2; i < 12; ++i) epochs.push_back(between(4 * i, 4 * i + 2));
  const EnergyRecord estimate = power::Evaluation(trace).energy_of(epochs);
  CHECK(estimate.energy.value().value == approx(6000).epsilon(0.01));
  CHECK(holds(estimate, 6000));
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
  CHECK((enough.energy_high.value() - enough.energy_low.value()).value / 2 <
        0.05 * enough.energy.value().value);
}
