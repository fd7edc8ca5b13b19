// Where there is no figure, and what is said instead.

#include <vector>

#include "power/trace/integration.h"
#include "support/catch.h"
#include "support/synthetic_loads.h"

using namespace gpubench;
using namespace gpubench::test;

namespace {

EnergyRecord energy_between(const PowerTrace& trace, double begin, double end) {
  const TimeSpan window = between(begin, end);
  return power::Evaluation(trace).energy_of({&window, 1});
}

MeterModel model_of(bool is_counter) {
  MeterModel model;
  model.is_counter = is_counter;
  model.period = 0.1;
  return model;
}

}  // namespace

TEST_CASE("a source that goes away gives no figure, and says what it said last") {
  const Load load = steady_load(60, 1);
  for (const bool is_counter : {false, true}) {
    MeterModel model = model_of(is_counter);
    model.gone_from = 30;
    const EnergyRecord estimate = energy_between(trace_of(load, model, 60, 0.05), 10, 40);
    REQUIRE_FALSE(estimate.energy.has_value());
    CHECK_THAT(estimate.energy.reason(), contains_text("synthetic: GPU is lost"));
    CHECK_THAT(estimate.energy.reason(), contains_text("answered for 67 %") || contains_text("68 %"));
    CHECK(estimate.coverage.value() == approx(0.67).epsilon(0.02));
  }
}

TEST_CASE("a sensor that varied and then stands still is stuck") {
  const Load load = steady_load(60, 1);
  for (const bool is_counter : {false, true}) {
    MeterModel model = model_of(is_counter);
    model.stuck_from = 30;
    const PowerTrace trace = trace_of(load, model, 60, 0.05);
    CHECK(energy_between(trace, 12, 29).energy.has_value());
    const EnergyRecord estimate = energy_between(trace, 12, 33);
    REQUIRE_FALSE(estimate.energy.has_value());
    CHECK_THAT(estimate.energy.reason(), contains_text("showed the same value"));
    CHECK_THAT(estimate.energy.reason(), contains_text("times: stuck"));
  }
}

TEST_CASE("a live sensor that never changed from idle through load is stuck, a constant log is not") {
  const Load load = random_load(30, 1);
  MeterModel model = model_of(false);
  model.stuck_from = 0;
  CHECK_THAT(energy_between(trace_of(load, model, 50, 0.05), 10, 40).energy.reason(),
             contains_text("showed the same value 1000 times: stuck") || contains_text("1001 times"));
  model.is_replayed = true;
  CHECK(energy_between(trace_of(load, model, 50, 0.05), 10, 40).energy.has_value());
}

TEST_CASE("a window without a change of the source is too short") {
  const Load load = steady_load(120, 1);
  MeterModel model = model_of(false);
  model.period = 1;
  const PowerTrace trace = trace_of(load, model, 60, 1, 0.01);
  const EnergyRecord estimate = energy_between(trace, 20.2, 20.6);
  REQUIRE_FALSE(estimate.energy.has_value());
  CHECK_THAT(estimate.energy.reason(), contains_text("the timed epochs last 0.40 s"));
  CHECK_THAT(estimate.energy.reason(), contains_text("--energy-window"));
}

TEST_CASE("a window as long as asked for gives an interval of about 5 % either way") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Load load = wandering_load(120, 0.05, seed);
    const PowerTrace trace = trace_of(load, model_of(false), 120, 0.05, 0.1);
    const double seconds = power::Evaluation(trace).least_window().value().value;
    const EnergyRecord estimate = energy_between(trace, 10, 10 + seconds);
    REQUIRE(estimate.energy.has_value());
    CHECK((estimate.energy_high.value() - estimate.energy_low.value()).value / 2 <
          0.08 * estimate.energy.value().value);
  }
}

TEST_CASE("a part that takes no power has no figure, rather than 0 J or advice to wait longer") {
  const Load load(60, [](double time) { return time < 5 ? 20.0005 : 0.0; });
  const PowerTrace trace = trace_of(load, model_of(false), 60, 0.05);
  CHECK(energy_between(trace, 10, 40).energy.reason() == "the source showed no power");
}

TEST_CASE("no epochs give no energy") {
  const Load load = steady_load(60, 1);
  const PowerTrace trace = trace_of(load, model_of(true), 60, 0.05);
  CHECK(power::Evaluation(trace).energy_of({}).energy.reason() == "no epoch after the warm-up");
  CHECK(energy_between(trace, 10, 10).energy.reason() == "no epoch after the warm-up");
}

TEST_CASE("epochs as short as the pauses between them have no figure, and longer windows would not help") {
  const Load load = steady_load(60, 1);
  std::vector<TimeSpan> epochs;
  for (double begin = 10; begin < 40; begin += 0.01) epochs.push_back(between(begin, begin + 0.005));
  for (const bool is_counter : {false, true}) {
    const PowerTrace trace = trace_of(load, model_of(is_counter), 60, 0.05);
    const EnergyRecord estimate = power::Evaluation(trace).energy_of(epochs);
    REQUIRE_FALSE(estimate.energy.has_value());
    CHECK_THAT(estimate.energy.reason(), contains_text("which take 50 % of the time"));
  }
}
