#include "workloads/cases/session.h"
#include "workloads/train/trainer.h"

#include <algorithm>
#include <optional>

#include "support/catch.h"
#include "support/fake_clock.h"
#include "tiny.h"
#include "workloads/cases/runner.h"

namespace gpubench::test::graph_epoch_test {

namespace {

void ignore_steps(std::int64_t) {}

/// A recorded epoch and its time stamps.
class Recorded {
 public:
  Recorded(Trainer& trainer, const ResidentSplit& train, Device& device)
      : stamps_(device, clock_), epoch_(trainer, train, device, stamps_) {}
  void queue(const OnSteps& on_steps) { epoch_.queue(on_steps); }
  std::string description() const { return epoch_.description(); }

 private:
  SteadyClock clock_;
  BlockStamps stamps_;
  GraphEpoch epoch_;
};

/// Device whose recordings do some of the work, then throw.
class BrokenDevice : public RepeatingDevice {
 public:
  explicit BrokenDevice(std::string error) : error_(std::move(error)) {}
  std::unique_ptr<RecordedWork> record_beside(const RecordedWork&,
                                              const std::function<void()>& work) override {
    work();
    throw std::runtime_error(error_);
  }

 private:
  std::string error_;
};

constexpr const char* kInvalid = "operation not permitted when stream is capturing";
constexpr const char* kFull = "CUDA out of memory. Tried to allocate 2.00 GiB.";

/// Model that records the first value of each sample. Each step runs `operations` additional operations.
class SampleRecordingModel : public Model {
 public:
  explicit SampleRecordingModel(int operations = 0)
      : weight_(register_parameter("weight", at::zeros({1}))), operations_(operations) {}
  std::vector<ParameterGroup> parameter_groups() override { return {{"weight", parameters(), {}}}; }
  std::vector<std::string> metrics() const override { return {"loss"}; }
  Results train_step(const Batch& batch, Step& step) override {
    for (std::int64_t i = 0; i < batch.inputs.size(0); ++i) seen.push_back(batch.inputs[i][0].item<float>());
    for (int i = 0; i < operations_; ++i) batch.inputs.neg();
    return {step.minimise(0, [&] { return (weight_ * batch.inputs.mean()).sum(); })};
  }
  at::Tensor predict(const at::Tensor& inputs) override { return inputs; }
  Results evaluate(const Batch& batch) override { return {(weight_ * batch.inputs.mean()).detach().sum()}; }
  std::vector<float> seen;

 private:
  at::Tensor weight_;
  int operations_;
};

/// Model with one parameter of gradient 1, at a learning rate of 0.1 that halves after each epoch.
class DecayingModel : public Model {
 public:
  explicit DecayingModel(Recipe recipe)
      : recipe_(with_learning_rate(recipe, 0.1)), weight_(register_parameter("weight", at::zeros({1}))) {}
  std::vector<ParameterGroup> parameter_groups() override {
    return {{"weight", parameters(), recipe_, /*epoch_decay=*/0.5}};
  }
  std::vector<std::string> metrics() const override { return {"loss"}; }
  Results train_step(const Batch&, Step& step) override {
    return {step.minimise(0, [&] { return weight_.sum(); })};
  }
  at::Tensor predict(const at::Tensor& inputs) override { return inputs; }
  Results evaluate(const Batch&) override { return {weight_.detach().sum()}; }
  double weight() const { return weight_.item<double>(); }

 private:
  Recipe recipe_;
  at::Tensor weight_;
};

/// Returns `count` distinct samples of one value each.
Split numbered(std::int64_t count) {
  Split split;
  split.inputs.shape = {count, 1};
  split.targets.shape = {count};
  split.targets.type = ElementType::kInt64;
  for (std::int64_t i = 0; i < count; ++i) split.inputs.bytes.push_back(static_cast<std::byte>(i));
  split.targets.bytes.resize(static_cast<std::size_t>(count) * sizeof(std::int64_t));
  return split;
}

Case tiny_case_in(Execution execution) {
  Case c = tiny_case();
  c.asked.mode.execution = execution;
  return c;
}

CaseRecord run(Execution execution, CountingDevice& device) {
  const Case c = tiny_case_in(execution);
  CountingMonitor monitor;
  return run_case(c, tiny_dataset(), device, SteadyClock(), monitor);
}

}  // namespace

TEST_CASE("a short epoch is one graph; a long one is blocks of full batches and a tail") {
  const GraphShape whole = graph_shape(5'000, 128, 60);
  CHECK(whole.blocks == 0);
  CHECK(whole.tail_steps == 40);
  const GraphShape blocks = graph_shape(50'000, 32, 1500);
  CHECK(static_cast<double>(blocks.block_steps) * 1500 <= 6'000);
  CHECK(blocks.blocks * blocks.block_steps + blocks.tail_steps == 1563);
  CHECK(blocks.tail_steps >= 1);  // The short last batch is never in a block.
  CHECK(blocks.tail_steps <= 2 * blocks.block_steps);
  CHECK(graph_shape(50'000, 32, 30).blocks == kEpochBlocks);
  const GraphShape single = graph_shape(64, 32, 1e9);
  CHECK(single.block_steps == 1);
  CHECK(single.blocks * single.block_steps + single.tail_steps == 2);
}

TEST_CASE("a recorded epoch trains on every sample once, in a new order") {
  const std::int64_t samples = GENERATE(53, 64);
  SampleRecordingModel model;
  const ResidentSplit split(numbered(samples), 0, at::kCPU);
  Trainer trainer(model, {.batch_size = 16}, at::kCPU);
  RepeatingDevice device;
  Recorded epoch(trainer, split, device);
  std::int64_t steps = 0;
  std::vector<std::vector<float>> orders;
  for (int i = 0; i < 2; ++i) {
    model.seen.clear();
    epoch.queue([&](std::int64_t count) { steps += count; });
    orders.push_back(model.seen);
    std::sort(model.seen.begin(), model.seen.end());
    CHECK(static_cast<std::int64_t>(model.seen.size()) == samples);
    CHECK(std::adjacent_find(model.seen.begin(), model.seen.end()) == model.seen.end());
  }
  CHECK(orders[0] != orders[1]);
  CHECK(steps == 2 * 4);
}

TEST_CASE("an epoch in blocks has the sample order and the metrics of an eager one") {
  constexpr int kOperations = 700;  // A graph has at most 8 steps.
  ResidentSplit split(numbered(53), 0, at::kCPU);
  std::vector<std::vector<float>> seen;
  std::vector<std::vector<double>> figures;
  for (const bool is_recorded : {false, true}) {
    SampleRecordingModel model(kOperations);
    Trainer trainer(model, {.batch_size = 2}, at::kCPU);
    RepeatingDevice device;
    std::optional<Recorded> graph;
    if (is_recorded) {
      graph.emplace(trainer, split, device);
      CHECK(graph->description() == "13 blocks of 2 steps and a tail of 1");
      CHECK(device.pools == 1);
      CHECK(device.recordings == 3);
    }
    for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
      model.seen.clear();
      at::manual_seed(epoch);
      if (graph)
        graph->queue(ignore_steps);
      else
        trainer.queue_epoch(split, ignore_steps);
      seen.push_back(model.seen);
      figures.push_back(trainer.epoch_figures());
    }
  }
  CHECK(seen[0] != seen[1]);
  CHECK(std::vector(seen.begin(), seen.begin() + 2) == std::vector(seen.begin() + 2, seen.end()));
  CHECK(std::vector(figures.begin(), figures.begin() + 2) == std::vector(figures.begin() + 2, figures.end()));
}

TEST_CASE("a learning rate decays only after an epoch, recorded or eager") {
  ResidentSplit split(numbered(64), 0, at::kCPU);
  const bool is_recorded = GENERATE(false, true);
  DecayingModel model(SgdRecipe{});
  Trainer trainer(model, {.batch_size = 16}, at::kCPU);
  RepeatingDevice device;
  std::optional<Recorded> graph;
  if (is_recorded) graph.emplace(trainer, split, device);
  // Steps outside of an epoch, like those of trials and profiles.
  trainer.begin_epoch(16);
  for (int step = 0; step < 2; ++step) trainer.run_step(split.slice(0, 16));
  CHECK(model.weight() == approx(-0.1 * 2));
  for (int epoch = 0; epoch < 3; ++epoch) {
    if (graph)
      graph->queue(ignore_steps);
    else
      trainer.queue_epoch(split, ignore_steps);
  }
  CHECK(model.weight() == approx(-0.1 * (2 + 4 * (1 + 0.5 + 0.25))));
}

TEST_CASE("recorded epochs of every recipe end with the parameters of eager ones") {
  ResidentSplit split(numbered(53), 0, at::kCPU);
  const Recipe recipe = GENERATE(Recipe(AdamRecipe{}), Recipe(SgdRecipe{}), Recipe(AdadeltaRecipe{}));
  std::vector<double> weights;
  for (const bool is_recorded : {false, true}) {
    DecayingModel model(recipe);
    Trainer trainer(model, {.batch_size = 16}, at::kCPU);
    RepeatingDevice device;
    std::optional<Recorded> graph;
    if (is_recorded) graph.emplace(trainer, split, device);
    for (int epoch = 0; epoch < 3; ++epoch) {
      if (graph)
        graph->queue(ignore_steps);
      else
        trainer.queue_epoch(split, ignore_steps);
    }
    weights.push_back(model.weight());
    CHECK(trainer.trained_steps() == 3 * 4);
  }
  CHECK(weights[0] < 0);
  CHECK(weights[0] == weights[1]);
}

TEST_CASE("a recorded epoch has time stamps inside its graph") {
  RepeatingDevice device;
  const CaseRecord record = run(Execution::kGraph, device);
  REQUIRE(record.status == RowStatus::kOk);
  CHECK(record.block_steps == std::vector<std::int64_t>{1, 1, 1, 1});
  REQUIRE(record.block_seconds.size() == 3 * 4);
  for (const double seconds : record.block_seconds) CHECK(seconds > 0);
}

TEST_CASE("auto falls back to eager with a reason; graph is then unsupported") {
  MarkingDevice plain;
  const CaseRecord eager = run(Execution::kAuto, plain);
  CHECK(eager.status == RowStatus::kOk);
  CHECK(eager.execution_used.value() == "eager");
  CHECK_THAT(eager.execution_note, contains_text("NVIDIA"));
  const CaseRecord refused = run(Execution::kGraph, plain);
  CHECK(refused.status == RowStatus::kUnsupported);
  CHECK_THAT(refused.status_reason, contains_text("--execution graph"));
}

TEST_CASE("auto falls back to eager if recording fails, also for lack of memory") {
  MarkingDevice plain;
  const CaseRecord eager = run(Execution::kEager, plain);
  for (const auto& [error, status] :
       {std::pair(kInvalid, RowStatus::kError), std::pair(kFull, RowStatus::kOutOfMemory)}) {
    INFO(error);
    BrokenDevice broken(error);
    const CaseRecord fallen_back = run(Execution::kAuto, broken);
    CHECK(fallen_back.status == RowStatus::kOk);
    CHECK(fallen_back.execution_used.value() == "eager");
    CHECK_THAT(fallen_back.execution_note, contains_text(error));
    CHECK(fallen_back.block_seconds.size() == 3 * 4);
    CHECK(fallen_back.trained_steps == eager.trained_steps);
    // Memory of the recording is free and does not count in the peaks of the eager epochs.
    CHECK(broken.held_when_freed == 0);
    CHECK(broken.resets == 3);  // At the start, after the trial, and after the attempt.
    CHECK(run(Execution::kGraph, broken).status == status);
  }
}

TEST_CASE("a pilot of a recorded case only replays") {
  RepeatingDevice device;
  const Pilot pilot = run_pilot(tiny_case_in(Execution::kGraph), tiny_dataset(), device, TickingClock(), {});
  REQUIRE(pilot.status == RowStatus::kOk);
  CHECK(device.replays == 2);
  CHECK(pilot.steps == 2 * 4);
  // One second for the window, and one per stamp between its steps.
  CHECK(pilot.step.value == 1);
  CHECK(pilot.first_step.value == 1);
}

}  // namespace gpubench::test::graph_epoch_test
