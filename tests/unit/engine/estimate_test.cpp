#include "engine/sweep/pilots.h"

#include <cmath>

#include "simulated_machine.h"
#include "small_run.h"
#include "support/catch.h"

namespace gpubench::test {
namespace {

/// An estimator that has tried the cases of a plan.
struct Trial {
  explicit Trial(const std::vector<std::int64_t>& batches, std::int64_t memory = 1'000'000) : plan(batches) {
    machine.memory = memory;
    estimator.measure(plan.cases, control);
  }
  Reading<Seconds> duration(std::size_t position) const {
    return estimator.duration(plan.cases[position], plan.rows[position]);
  }

  SmallRun plan;
  FakeClock clock;
  SimulatedMachine machine{clock};
  RowControl control;
  Estimator estimator{machine};
};

/// Aborts once its clock is at `end`.
class ControlUntil : public RowControl {
 public:
  ControlUntil(const Clock& clock, Seconds end) : clock_(clock), end_(end) {}
  bool must_abort() override { return clock_.now() >= end_; }

 private:
  const Clock& clock_;
  Seconds end_;
};

}  // namespace

TEST_CASE("each model is tried at its smallest and its largest batch alone") {
  const Trial trial({16, 24, 32});
  CHECK(trial.machine.pilots == std::vector<std::string>{"flat:16", "flat:32", "net:16", "net:32"});
}

TEST_CASE("each mode of a model is tried for itself") {
  SmallRun plan({16, 32});
  plan.cases[1].mode.precision = Precision::kBf16;
  FakeClock clock;
  SimulatedMachine machine{clock};
  RowControl control;
  Estimator estimator{machine};
  estimator.measure({plan.cases[0], plan.cases[1]}, control);
  CHECK(machine.pilots == std::vector<std::string>{"flat:16", "flat:32"});
  CHECK(estimator.is_tried(plan.cases[0]));

  plan.cases[1].mode.loader = Loader::kHost;
  CHECK_FALSE(estimator.is_tried(plan.cases[1]));
  CHECK(estimator.duration(plan.cases[1], plan.rows[1]).reason() == "not tried");
}

TEST_CASE("each size of a network is tried for itself") {
  SmallRun plan({16, 17});
  ModelEntry entry = *plan.cases[0].model;
  entry.options = {{"layers", "", 2, 1, 9}};
  for (const std::size_t i : {0u, 1u}) {
    plan.cases[i].model = &entry;
    plan.cases[i].batch_size = 16;
    plan.cases[i].sizes = {{"layers", static_cast<std::int64_t>(2 + i)}};
  }
  FakeClock clock;
  SimulatedMachine machine{clock};
  RowControl control;
  Estimator estimator{machine};
  estimator.measure({plan.cases[0], plan.cases[1]}, control);
  CHECK(machine.pilots.size() == 2);
}

TEST_CASE("time between the tries lies on a straight line") {
  const Trial trial({16, 24, 32});
  const double step = 0.01 + 0.001 * 24;  // flat, batch 24: three epochs of 96 samples, 8 evaluated.
  CHECK(trial.duration(1).value().value == approx(2 + step * (3 * 96 + 8 / 3.0) / 24));
}

TEST_CASE("a trial that is cut off is made again, unless it had all the time there was") {
  SmallRun plan({16, 32});
  FakeClock clock;
  SimulatedMachine machine{clock};
  Estimator estimator{machine};
  ControlUntil ended(clock, clock.now() + Seconds{8});
  estimator.measure(plan.cases, ended);  // flat takes 6 s, and the first step of net 3 s.
  CHECK(machine.pilots == std::vector<std::string>{"flat:16", "flat:32", "net:16"});
  CHECK(estimator.is_tried(plan.cases[0]));
  CHECK_FALSE(estimator.is_tried(plan.cases[2]));

  estimator.measure(plan.cases, ended);
  CHECK(machine.pilots.size() == 3);
  ControlUntil short_of_one(clock, clock.now() + Seconds{1});
  estimator.measure(plan.cases, short_of_one);
  CHECK(estimator.is_tried(plan.cases[2]));
  CHECK(std::isinf(estimator.duration(plan.cases[2], plan.rows[2]).value().value));
}

TEST_CASE("a batch whose step would take too long is tried at a smaller size") {
  const Trial trial({16, 100'000});
  CHECK(trial.machine.pilots[0] == "flat:16");
  CHECK(trial.machine.pilots[1] != "flat:100000");
  CHECK(trial.duration(1).has_value());
}

TEST_CASE("where the first try fails there is no estimate, but its reason") {
  const Trial trial({16, 32}, 100);
  CHECK_THAT(trial.duration(0).reason(), contains_text("oom: full"));
}

TEST_CASE("with a target an estimate reckons with the epochs that it takes at least, within the bounds") {
  CHECK(expected_epochs({1, 5, 5, std::nullopt}, Seconds{1}) == 5);
  CHECK(expected_epochs({1, 5, 200, 0.02}, Seconds{1}) == 1 + 60);
  CHECK(expected_epochs({1, 5, 50, 0.02}, Seconds{600}) == 5);
  CHECK(expected_epochs({1, 5, 8, 0.02}, Seconds{0}) == 8);
}

}  // namespace gpubench::test
