#include <cmath>
#include <utility>
#include <vector>

#include "power/trace/integration.h"
#include "support/catch.h"
#include "support/synthetic_loads.h"
#include "support/watts_trace.h"

namespace gpubench::test::power_energy_test {

namespace {

using Readings = std::vector<std::pair<double, double>>;

EnergyRecord energy_between(const PowerTrace& trace, double begin, double end) {
  const TimeSpan window{{begin}, {end}};
  return power::Evaluation(trace).compute_energy({&window, 1});
}

MeterModel sensor(double period, double averaging) {
  MeterModel model;
  model.period = period;
  model.averaging = averaging;
  return model;
}

const Readings kHandMade{{0, 100}, {1, 110}, {2, 120}, {3, 110}, {4, 130}, {5, 120},
                         {6, 125}, {7, 115}, {8, 110}, {9, 120}, {10, 100}};

}  // namespace

TEST_CASE("trapezoids are clipped to the window exactly") {
  const EnergyRecord estimate = energy_between(trace_of_watts(kHandMade), 1.25, 7.5);
  // 1.25..2: 112.5 to 120; then 115, 120, 125, 122.5, 120; 7..7.5: 115 to 112.5.
  const double expected = 0.75 * 116.25 + 115 + 120 + 125 + 122.5 + 120 + 0.5 * 113.75;
  REQUIRE(estimate.energy.has_value());
  CHECK(std::abs(estimate.energy.value().value - expected) < 1e-9);
  CHECK(estimate.method == EnergyMethod::kTrapezoid);
  CHECK(estimate.samples == 6);
  CHECK(estimate.peak.value() == Watts{130});
  CHECK(estimate.source_period.value() == Seconds{1});
}

TEST_CASE("constant power is not interpolated to the next change") {
  // Noise, then 5 s of exactly 100 W, then noise about 300 W.
  Noise noise(5);
  const Load load(60, [&](double time) {
    if (time >= 20 && time < 25) return 100.0;
    return (time < 20 ? 100.0 : 300.0) + noise.normal();
  });
  MeterModel model = sensor(0.5, 0);
  const PowerTrace trace = make_trace(load, model, 60, 0.1, 0.1);
  const EnergyRecord estimate = energy_between(trace, 1015, 1024);
  REQUIRE(estimate.energy.has_value());
  CHECK(estimate.energy.value().value == approx(900).epsilon(0.01));
}

TEST_CASE("an average over 1 s with a step at the end of the window is accurate to 3 %") {
  Noise noise(6);
  const Load load(60, [&](double time) { return (time >= 20 && time < 40 ? 300 : 60) + noise.normal(); });
  const EnergyRecord estimate = energy_between(make_trace(load, sensor(0.1, 1), 60, 0.05, 0.1), 1020, 1040);
  REQUIRE(estimate.energy.has_value());
  CHECK(estimate.energy.value().value == approx(6000).epsilon(0.03));
}

}  // namespace gpubench::test::power_energy_test
