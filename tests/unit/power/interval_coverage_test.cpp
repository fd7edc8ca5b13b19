// Whether intervals hold what they promise, over many windows at random.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "power/trace/integration.h"
#include "support/catch.h"
#include "support/synthetic_loads.h"

using namespace gpubench;
using namespace gpubench::test;

namespace {

constexpr double kBusy = 65;  // Seconds of load.

/// A meter and how it is read.
struct Kind {
  std::string name;
  MeterModel model;
  double poll = 0.05;
  double jitter = 0.1;
};

/// What 1,000 windows showed.
struct Tally {
  double windows = 0;
  double figures = 0;
  double held = 0;
  std::vector<double> halves;       ///< Of the energy.
  std::vector<double> long_halves;  ///< Those of windows of 25 s to 35 s.
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

void count(const Load& load, const PowerTrace& trace, const TimeSpan& window, Tally& tally) {
  ++tally.windows;
  const EnergyRecord estimate = power::Evaluation(trace).energy_of({&window, 1});
  if (!estimate.energy.has_value()) return;
  const double truth = load.joules(window);
  ++tally.figures;
  tally.held += estimate.energy_low.value().value <= truth && truth <= estimate.energy_high.value().value;
  tally.halves.push_back((estimate.energy_high.value() - estimate.energy_low.value()).value / 2 / truth);
  const double seconds = length_of(window).value;
  if (seconds > 25 && seconds < 35) tally.long_halves.push_back(tally.halves.back());
}

/// Made once: most of the time would go into them.
const std::vector<Load>& loads() {
  static const std::vector<Load> all = [] {
    std::vector<Load> made;
    for (std::uint64_t seed = 101; seed <= 150; ++seed) made.push_back(random_load(kBusy, seed));
    return made;
  }();
  return all;
}

/// 20 windows of 2 s to 60 s over each of 50 loads; some reach into the idle time before and after.
Tally tally_of(const Kind& kind) {
  Tally tally;
  std::uint64_t seed = 0;
  for (const Load& load : loads()) {
    Noise noise(++seed);
    MeterModel model = kind.model;
    model.phase = model.period * noise.uniform();
    const PowerTrace trace = trace_of(load, model, kBusy + 20, kind.poll, kind.jitter, seed);
    for (int i = 0; i < 20; ++i) {
      const double seconds = 2 + 58 * noise.uniform();
      const double begin = 9.5 + (kBusy + 1 - seconds) * noise.uniform();
      count(load, trace, between(begin, begin + seconds), tally);
    }
  }
  return tally;
}

void check(const Kind& kind, double most_median, double most_of_30_seconds) {
  const Tally tally = tally_of(kind);
  CAPTURE(kind.name, tally.figures, tally.held, median(tally.halves), median(tally.long_halves));
  CHECK(tally.windows == 1000);
  CHECK(tally.figures >= 0.85 * tally.windows);
  CHECK(tally.held >= 0.95 * tally.figures);
  CHECK(median(tally.halves) < most_median);
  CHECK(median(tally.long_halves) < most_of_30_seconds);
}

MeterModel counter(double period) {
  MeterModel model;
  model.is_counter = true;
  model.period = period;
  return model;
}

MeterModel sensor(double period, double averaging) {
  MeterModel model;
  model.period = period;
  model.averaging = averaging;
  return model;
}

}  // namespace

TEST_CASE("intervals of energy counters hold the truth in 95 of 100 windows and stay narrow") {
  check({"counter of 100 ms", counter(0.1)}, 0.02, 0.02);
  check({"counter of 100 ms, polled in step with it", counter(0.1), 0.05, 0}, 0.02, 0.02);
  check({"counter of 1 ms", counter(0.001)}, 0.02, 0.02);
  check({"counter of 1 ms, polled at odd moments", counter(0.001), 0.05, 0.9}, 0.02, 0.02);
}

TEST_CASE("intervals of a counter polled once a second are honest and wide") {
  check({"counter of 100 ms", counter(0.1), 1, 0.05}, 0.10, 0.10);
}

TEST_CASE("intervals of instantaneous power hold the truth in 95 of 100 windows") {
  check({"sensor of 100 ms", sensor(0.1, 0)}, 0.03, 0.03);
  check({"sensor of 40 ms", sensor(0.04, 0), 0.02}, 0.015, 0.015);
  check({"sensor without a period, polled at odd moments", sensor(0, 0), 0.1, 0.5}, 0.03, 0.03);
}

TEST_CASE("intervals of a sensor that averages a second hold the truth") {
  check({"1 s, updated every 100 ms", sensor(0.1, 1)}, 0.02, 0.02);
  check({"a log of a line a second", sensor(1, 1), 1, 0}, 0.06, 0.05);
}

TEST_CASE("intervals of a sensor of whole watts hold the truth") {
  MeterModel model = sensor(0.1, 0.1);
  model.resolution = 1;
  check({"whole watts", model}, 0.02, 0.02);
}
