// Ten training steps of every network against the same steps in Python; see src/engine/selftest/trajectories,
// whose script says how weights and batches come about.

#include "engine/selftest/trajectory.h"

#include "engine/training/optimizer/optimizer.h"
#include "support/catch.h"
#include "tiny.h"

using namespace gpubench;
using gpubench::test::approx;

namespace {

constexpr double kTolerance = 1e-4;

Json read_trajectory(const std::string& model) {
  const auto trajectory = trajectory_of(model);
  INFO(model << " needs a trajectory: write it into make_trajectories.py and run that");
  REQUIRE(trajectory.has_value());
  return *trajectory;
}

NamedLosses train(const ModelEntry& entry, const Json& trajectory, const Json& run, double learning_rate) {
  return train_trajectory(entry, trajectory, run, learning_rate, at::kCPU,
                          trajectory.at("noise_seed").get<std::uint64_t>());
}

void check_runs(const ModelEntry& entry, const Json& trajectory) {
  constexpr std::size_t kSteps = 10;
  const Json& runs = trajectory.at("runs");
  for (const Json& run : runs) {
    // In the first run the rate must come from the recipe.
    const double rate = &run == &runs.front() ? 0 : run.at("learning_rate").get<double>();
    INFO("learning rate " << run.at("learning_rate"));
    CHECK(difference_from(run, train(entry, trajectory, run, rate)) < kTolerance);
  }
  CHECK(runs.back().at("losses").front().size() == kSteps);
}

}  // namespace

TEST_CASE("every network trains as in Python") {
  for (const ModelEntry& entry : models()) {
    DYNAMIC_SECTION(entry.name) { check_runs(entry, read_trajectory(entry.name)); }
  }
}

TEST_CASE("every recipe has the learning rate that Python trains with") {
  for (const ModelEntry& entry : models()) {
    const Json trajectory = read_trajectory(entry.name);
    const double rate = trajectory.at("runs").front().at("learning_rate");
    for (const ParameterGroup& group : entry.build(all_sizes(entry, {}))->parameter_groups()) {
      INFO(entry.name << ", " << group.name);
      CHECK(learning_rate_of(group.recipe) == approx(rate));
    }
  }
}

TEST_CASE("a learning rate that is two percent off is seen in a trajectory") {
  const ModelEntry& entry = models().require("mlp", "");
  const Json trajectory = read_trajectory(entry.name);
  const Json& run = trajectory.at("runs").front();
  const auto losses = train(entry, trajectory, run, 1.02 * run.at("learning_rate").get<double>());
  CHECK(difference_from(run, losses) > kTolerance);
}

TEST_CASE("a trajectory of other parameters is refused") {
  const Json trajectory = read_trajectory("mlp");
  CHECK_THROWS_WITH(train(test::tiny_model(), trajectory, trajectory.at("runs").front(), 0),
                    test::contains_text("not those of its trajectory"));
}
