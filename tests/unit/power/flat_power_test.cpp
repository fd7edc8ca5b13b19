// Whether idle power has settled.

#include <cstdint>

#include "power/trace/integration.h"
#include "support/catch.h"
#include "support/synthetic_loads.h"

namespace gpubench::test::flat_power_test {
namespace {

constexpr int kRuns = 50;

MeterModel counter() {
  MeterModel model;
  model.is_counter = true;
  model.period = 0.02;
  return model;
}

MeterModel sensor(double averaging) {
  MeterModel model;
  model.period = 0.1;
  model.averaging = averaging;
  return model;
}

/// A load of 600 W above idle that ends after 10 s; `kept` watts of it remain for `tail` seconds. Idle power
/// is 70 W with a scatter of `scatter` W between milliseconds.
Load ended_load(std::uint64_t seed, double scatter, double kept = 0, double tail = 0) {
  Noise noise(seed);
  return Load(20, [&](double time) {
    const double above = time < 10 ? 600 : time < 10 + tail ? kept : 0;
    return 70 + above + scatter * noise.normal();
  });
}

/// Returns how often power is not flat in the 2 s from `begin` seconds after the end of the load.
template <class LoadOf>
double restless(const MeterModel& model, double begin, LoadOf compute_load) {
  int found = 0;
  for (int run = 1; run <= kRuns; ++run) {
    const PowerTrace trace =
        make_trace(compute_load(static_cast<std::uint64_t>(run)), model, 10 + begin + 2, 0.05);
    if (!power::Evaluation(trace).is_flat(between(10 + begin, 12 + begin))) ++found;
  }
  return static_cast<double>(found) / kRuns;
}

}  // namespace

// Neighbouring parts share a reading, so more than 5 % have an order by chance.
TEST_CASE("idle power is flat for any source whose average excludes the load") {
  const auto compute_load = [](std::uint64_t seed) { return ended_load(seed, 40); };
  CHECK(restless(counter(), 0.1, compute_load) <= 0.2);
  CHECK(restless(sensor(0.025), 0.1, compute_load) <= 0.2);
  CHECK(restless(sensor(1), 1, compute_load) <= 0.2);
}

TEST_CASE("power is not flat while a sensor averages over the load, or while clocks stay high") {
  const auto ended = [](std::uint64_t seed) { return ended_load(seed, 40); };
  CHECK(restless(sensor(1), 0, ended) == 1);
  CHECK(restless(sensor(1), 0.2, ended) == 1);
  for (const double tail : {0.5, 1.0, 1.5}) {
    const auto slow = [tail](std::uint64_t seed) { return ended_load(seed, 40, 20, tail); };
    CHECK(restless(counter(), 0.1, slow) >= 0.8);
  }
}

TEST_CASE("power counts as flat with fewer than five changes, and without readings") {
  const Load load = ended_load(1, 40);
  CHECK(power::Evaluation(make_trace(load, sensor(1), 12, 0.5)).is_flat(between(10, 12)));
  CHECK(power::Evaluation(PowerTrace{}).is_flat(between(10, 12)));
}

}  // namespace gpubench::test::flat_power_test
