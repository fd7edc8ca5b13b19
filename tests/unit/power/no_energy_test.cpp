// Reasons for missing energy.

#include <vector>

#include "power/trace/integration.h"
#include "support/catch.h"
#include "support/synthetic_loads.h"

namespace gpubench::test::no_energy_test {

namespace {

EnergyRecord energy_between(const PowerTrace& trace, double begin, double end) {
  const TimeSpan window = between(begin, end);
  return power::Evaluation(trace).compute_energy({&window, 1});
}

MeterModel find_model(bool is_counter) {
  MeterModel model;
  model.is_counter = is_counter;
  model.period = 0.1;
  return model;
}

}  // namespace

TEST_CASE("a lost source has no energy, and the reason includes its last error") {
  const Load load = steady_load(60, 1);
  for (const bool is_counter : {false, true}) {
    MeterModel model = find_model(is_counter);
    model.gone_from = 30;
    const EnergyRecord estimate = energy_between(make_trace(load, model, 60, 0.05), 10, 40);
    REQUIRE_FALSE(estimate.energy.has_value());
    CHECK_THAT(estimate.energy.reason(), contains_text("synthetic: GPU is lost"));
    CHECK_THAT(estimate.energy.reason(), contains_text("cover 67 %") || contains_text("cover 68 %"));
    CHECK(estimate.coverage.value() == approx(0.67).epsilon(0.02));
  }
}

TEST_CASE("a source that varied and then repeats one value is stuck") {
  const Load load = steady_load(60, 1);
  for (const bool is_counter : {false, true}) {
    MeterModel model = find_model(is_counter);
    model.stuck_from = 30;
    const PowerTrace trace = make_trace(load, model, 60, 0.05);
    CHECK(energy_between(trace, 12, 29).energy.has_value());
    const EnergyRecord estimate = energy_between(trace, 12, 33);
    REQUIRE_FALSE(estimate.energy.has_value());
    CHECK_THAT(estimate.energy.reason(), contains_text("the source is stuck: "));
    CHECK_THAT(estimate.energy.reason(), contains_text("equal readings in a row"));
  }
}

TEST_CASE("a live sensor that does not change under load is stuck, but a constant log is not") {
  const Load load(50, [](double time) { return time < 10 || time >= 40 ? 60.0 : 250.0; });
  MeterModel model = find_model(false);
  model.stuck_from = 0;
  CHECK_THAT(energy_between(make_trace(load, model, 50, 0.05), 10, 40).energy.reason(),
             contains_text("stuck: 1000 equal readings") || contains_text("stuck: 1001 equal readings"));
  model.is_replayed = true;
  CHECK(energy_between(make_trace(load, model, 50, 0.05), 10, 40).energy.has_value());
}

TEST_CASE("a window in which the source does not change is too short") {
  const Load load = steady_load(120, 1);
  MeterModel model = find_model(false);
  model.period = 1;
  const PowerTrace trace = make_trace(load, model, 60, 1, 0.01);
  const EnergyRecord estimate = energy_between(trace, 20.2, 20.6);
  REQUIRE_FALSE(estimate.energy.has_value());
  CHECK_THAT(estimate.energy.reason(), contains_text("the timed epochs last only 0.40 s"));
  CHECK_THAT(estimate.energy.reason(), contains_text("--min-time"));
}

TEST_CASE("a sensor whose steps are as large as its readings has no energy") {
  const Load load(60, [](double time) { return time < 20 ? 10.0 : 20.0; });
  MeterModel model = find_model(false);
  model.resolution = 10;
  CHECK_THAT(energy_between(make_trace(load, model, 60, 0.05), 10, 40).energy.reason(),
             contains_text("the source's steps of 10 W are too coarse for a mean of 1"));
}

TEST_CASE("a part without power has missing energy, neither 0 J nor advice to measure longer") {
  const Load load(60, [](double time) { return time < 5 ? 20.0005 : 0.0; });
  const PowerTrace trace = make_trace(load, find_model(false), 60, 0.05);
  CHECK(energy_between(trace, 10, 40).energy.reason() == "the source reported 0 W");
}

TEST_CASE("epochs as short as the pauses between them have no energy, however many there are") {
  const Load load = steady_load(60, 1);
  std::vector<TimeSpan> epochs;
  for (double begin = 10; begin < 40; begin += 0.01) epochs.push_back(between(begin, begin + 0.005));
  for (const bool is_counter : {false, true}) {
    const PowerTrace trace = make_trace(load, find_model(is_counter), 60, 0.05);
    const EnergyRecord estimate = power::Evaluation(trace).compute_energy(epochs);
    REQUIRE_FALSE(estimate.energy.has_value());
    CHECK_THAT(estimate.energy.reason(), contains_text("take 50 % of the time"));
  }
}

}  // namespace gpubench::test::no_energy_test
