// Compares ten training steps of every network with Python. trajectories/make_trajectories.py documents
// weights and batches.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <ATen/ops/empty.h>

#include "record/document/json.h"
#include "support/catch.h"
#include "trajectory_texts.h"
#include "workloads/cases/session.h"
#include "workloads/selftest/check.h"
#include "workloads/train/trainer.h"

namespace gpubench::test::trajectory_test {
using gpubench::test::approx;

namespace {

constexpr double kTolerance = 1e-4;
using Shape = std::vector<std::int64_t>;

constexpr std::uint32_t kStreamsOfBatch = 3;  // Pixels or tokens, patches, targets.
constexpr std::uint32_t kTargetStream = 2;

/// Finalizer of MurmurHash3, 32 bits.
std::uint32_t mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
  x = (x ^ (x >> 13)) * 0xC2B2AE35u;
  return x ^ (x >> 16);
}

/// Returns element `index` of the stream of random integers `stream`.
std::uint32_t hashed(std::uint32_t stream, std::uint32_t index) {
  return mixed(mixed(index) ^ (0x9E3779B9u * (stream + 1)));
}

/// Returns a number in [0, 1).
double uniform(std::uint32_t stream, std::uint32_t index) {
  return std::ldexp(static_cast<double>(hashed(stream, index) >> 8), -24);
}

template <class T, class Function>
at::Tensor filled(const Shape& shape, at::ScalarType type, Function value_at) {
  at::Tensor tensor = at::empty(shape, type);
  T* values = tensor.data_ptr<T>();
  for (std::int64_t i = 0; i < tensor.numel(); ++i) values[i] = value_at(static_cast<std::uint32_t>(i));
  return tensor;
}

/// Returns patches with noise.
at::Tensor images(std::uint32_t stream, const Shape& shape) {
  constexpr std::int64_t kPatches = 4;  // Patches along each side of an image.
  const std::int64_t height = shape.at(2);
  const std::int64_t width = shape.at(3);
  return filled<float>(shape, at::kFloat, [&](std::uint32_t i) {
    const std::int64_t plane = i / (height * width);
    const std::int64_t row = i / width % height * kPatches / height;
    const std::int64_t column = i % width * kPatches / width;
    const auto patch = static_cast<std::uint32_t>((plane * kPatches + row) * kPatches + column);
    return static_cast<float>(0.75 * uniform(stream + 1, patch) + 0.25 * uniform(stream, i));
  });
}

at::Tensor whole_numbers(std::uint32_t stream, const Shape& shape, std::int64_t below) {
  const auto modulus = static_cast<std::uint32_t>(below);
  return filled<std::int64_t>(shape, at::kLong, [&](std::uint32_t i) { return hashed(stream, i) % modulus; });
}

at::Tensor parameter(std::uint32_t stream, const Json& spread) {
  const double centre = spread.at("centre");
  const double range = spread.at("range");
  return filled<float>(spread.at("shape"), at::kFloat, [&](std::uint32_t i) {
    return static_cast<float>(centre + range * (2 * uniform(stream, i) - 1));
  });
}

void set_parameters(Model& model, const Json& spreads) {
  const at::NoGradGuard no_grad;
  const auto parameters = model.parameters();
  REQUIRE(parameters.size() == spreads.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    REQUIRE(parameters[i].sizes().vec() == spreads[i].at("shape").get<Shape>());
    parameters[i].copy_(parameter(static_cast<std::uint32_t>(i), spreads[i]));
  }
}

/// Returns batch `number` of a trajectory.
Batch trajectory_batch(const DataSpec& spec, const Json& trajectory, std::size_t number) {
  const auto stream = trajectory.at("batch_stream").get<std::uint32_t>() +
                      kStreamsOfBatch * static_cast<std::uint32_t>(number);
  const Shape samples{trajectory.at("batch_size").get<std::int64_t>()};
  Shape shape = samples;
  shape.insert(shape.end(), spec.sample_shape.begin(), spec.sample_shape.end());
  if (spec.task == Task::kLanguage) {
    return {whole_numbers(stream, shape, spec.classes),
            whole_numbers(stream + kTargetStream, shape, spec.classes)};
  }
  return {images(stream, shape),
          whole_numbers(stream + kTargetStream, samples, std::max<std::int64_t>(spec.classes, 1))};
}

/// Losses of all steps, by name.
using NamedLosses = std::map<std::string, std::vector<double>>;

/// Returns the losses of a run of the trajectory in strict fp32. A learning rate of 0 selects the recipe's.
NamedLosses train(const ModelEntry& entry, const Json& trajectory, const Json& run, double learning_rate) {
  const ModelSizes sizes = all_sizes(entry, trajectory.value("sizes", ModelSizes()));
  const auto model = entry.build(sizes);
  set_parameters(*model, trajectory.at("parameters"));
  const std::int64_t batch_size = trajectory.at("batch_size");
  Trainer trainer(*model, {.batch_size = batch_size, .learning_rate = learning_rate}, at::kCPU);
  const auto names = model->metrics();
  NamedLosses losses;
  at::manual_seed(trajectory.at("noise_seed").get<std::uint64_t>());
  for (std::size_t step = 0; step < run.at("losses").front().size(); ++step) {
    trainer.begin_epoch(batch_size);
    switch_dropout_off(*model);
    const std::size_t number = step % trajectory.at("batches").get<std::size_t>();
    trainer.run_step(trajectory_batch(spec_at(entry, sizes), trajectory, number));
    const auto metrics = trainer.epoch_figures();
    for (std::size_t i = 0; i < names.size(); ++i) losses[names[i]].push_back(metrics[i]);
  }
  return losses;
}

/// Returns the largest relative difference from the run's losses; infinite if one is missing.
double difference_from(const Json& run, const NamedLosses& losses) {
  double largest = 0;
  for (const auto& [name, expected] : run.at("losses").items()) {
    const auto found = losses.find(name);
    if (found == losses.end()) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, largest_difference(found->second, expected.get<std::vector<double>>()));
  }
  return largest;
}

/// Steps written by make_trajectories.py for a model.
Json read_trajectory(const std::string& model) {
  const auto texts = trajectory_texts();
  const auto found = std::ranges::find(texts, model, &EmbeddedText::name);
  INFO(model << " needs a trajectory: write it into make_trajectories.py and run that");
  REQUIRE(found != texts.end());
  return Json::parse(found->text);
}

void check_runs(const ModelEntry& entry, const Json& trajectory) {
  constexpr std::size_t kSteps = 10;
  const Json& runs = trajectory.at("runs");
  for (const Json& run : runs) {
    // The first run uses the rate of the recipe.
    const double rate = &run == &runs.front() ? 0 : run.at("learning_rate").get<double>();
    INFO("learning rate " << run.at("learning_rate"));
    CHECK(difference_from(run, train(entry, trajectory, run, rate)) < kTolerance);
  }
  CHECK(runs.back().at("losses").front().size() == kSteps);
}

}  // namespace

TEST_CASE("every network has the losses of Python") {
  for (const ModelEntry& entry : models()) {
    DYNAMIC_SECTION(entry.name) { check_runs(entry, read_trajectory(entry.name)); }
  }
}

TEST_CASE("every recipe has the learning rate of Python") {
  for (const ModelEntry& entry : models()) {
    const Json trajectory = read_trajectory(entry.name);
    const double rate = trajectory.at("runs").front().at("learning_rate");
    for (const ParameterGroup& group :
         entry.build(all_sizes(entry, trajectory.value("sizes", ModelSizes())))->parameter_groups()) {
      INFO(entry.name << ", " << group.name);
      CHECK(find_learning_rate(group.recipe) == approx(rate));
    }
  }
}

TEST_CASE("a trajectory detects a learning rate that is two percent off") {
  const ModelEntry& entry = models().require("mlp", "");
  const Json trajectory = read_trajectory(entry.name);
  const Json& run = trajectory.at("runs").front();
  const auto losses = train(entry, trajectory, run, 1.02 * run.at("learning_rate").get<double>());
  CHECK(difference_from(run, losses) > kTolerance);
}

}  // namespace gpubench::test::trajectory_test
