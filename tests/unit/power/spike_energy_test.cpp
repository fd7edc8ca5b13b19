#include <cmath>
#include <span>
#include <vector>

#include "power/trace/integration.h"
#include "support/catch.h"
#include "support/synthetic_loads.h"
#include "support/watts_trace.h"

namespace gpubench::test::spike_energy_test {
namespace {

EnergyRecord spike_energy(const PowerTrace& trace, std::span<const TimeSpan> windows) {
  return power::Evaluation::compute_spike_energy(trace, windows);
}

}  // namespace

TEST_CASE("spike-q30 is the mean of the samples above the 0.30 quantile times the length of the windows") {
  const PowerTrace trace = trace_of_watts(
      {{0, 10}, {1, 50}, {2, 200}, {3, 210}, {4, 60}, {5, 220}, {6, 205}, {7, 190}, {8, 40}, {9, 10}});
  // Sorted, 1 s to 8 s: 40 50 60 190 200 205 210 220. Position 0.3 x 7 = 2.1, so 60 + 0.1 x 130 = 73.
  const std::vector<TimeSpan> windows{{{1}, {4}}, {{4.5}, {8}}};
  const EnergyRecord estimate = spike_energy(trace, windows);
  const double mean = (190 + 200 + 205 + 210 + 220) / 5.0;
  REQUIRE(estimate.energy.has_value());
  CHECK(std::abs(estimate.energy.value().value - mean * 6.5) < 1e-9);
  CHECK(estimate.method == EnergyMethod::kSpikeQ30);
}

TEST_CASE("spike-q30 uses power despite a counter, and is missing without power") {
  PowerTrace trace = trace_of_watts({{0, 100}, {1, 110}, {2, 120}, {3, 130}});
  for (PowerSample& sample : trace.samples) sample.reading.energy = Joules{sample.time.value * 1000};
  const TimeSpan window{{0}, {3}};
  // Position 0.9: 109 W.
  CHECK(std::abs(spike_energy(trace, {&window, 1}).energy.value().value - 120 * 3) < 1e-9);
  for (PowerSample& sample : trace.samples) sample.reading.power = missing("no power sensor");
  const EnergyRecord none = spike_energy(trace, {&window, 1});
  REQUIRE_FALSE(none.energy.has_value());
  CHECK_THAT(none.energy.reason(), contains_text("no power sensor"));
}

}  // namespace gpubench::test::spike_energy_test
