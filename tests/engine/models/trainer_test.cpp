#include "workloads/train/trainer.h"

#include <ATen/ops/arange.h>

#include "engine/torch/failure.h"
#include "support/catch.h"
#include "tiny.h"
#include "workloads/cases/session.h"

namespace gpubench::test::trainer_test {

namespace {

/// Model with two parameters, each its own group. The loss of the first also depends on the second.
class TwoGroups : public Model {
 public:
  explicit TwoGroups(double factor = 1)
      : first_(register_parameter("first", at::ones({1}))),
        second_(register_parameter("second", at::ones({1}))),
        factor_(factor) {}

  std::vector<ParameterGroup> parameter_groups() override {
    return {{"first", {first_}, SgdRecipe{0.1}}, {"second", {second_}, SgdRecipe{0.1}}};
  }
  std::vector<std::string> metrics() const override { return {"loss"}; }

  Results train_step(const Batch&, Step& step) override {
    step.minimise(1, [&] { return (3 * second_).sum(); });
    step.minimise(0, [&] { return (factor_ * first_ * second_.detach() + 5 * second_).sum(); });
    return {step.minimise(0, [&] { return (0 * first_ + 7 * second_).sum(); })};
  }
  at::Tensor predict(const at::Tensor& inputs) override { return inputs; }
  Results evaluate(const Batch&) override { return {first_.detach().sum()}; }

  double first() const { return first_.item<double>(); }
  double second() const { return second_.item<double>(); }

 private:
  at::Tensor first_;
  at::Tensor second_;
  double factor_;
};

/// Trains three steps.
void make_three_steps(Trainer& trainer) {
  const ResidentSplit split(tiny_dataset().train, 0, at::kCPU);
  trainer.begin_epoch(split.size());
  for (int step = 0; step < 3; ++step) trainer.run_step(split.slice(0, 16));
}

}  // namespace

TEST_CASE("a group is updated by its own losses only, and the first group's updates count") {
  TwoGroups model;
  Trainer trainer(model, {.batch_size = 16}, at::kCPU);
  make_three_steps(trainer);
  // The second gradient is always 3, independent of the first group's losses.
  CHECK(model.second() == approx(1 - 0.1 * 3 * 3));
  CHECK(model.first() == approx(1 - 0.1 * (0.7 + 0.4 + 0.1)));
  CHECK(trainer.trained_steps() == 2 * 3);
  CHECK(trainer.optimizer_description() == "sgd (fused) + sgd (fused)");
}

TEST_CASE("accumulated gradients of micro-batches train like the whole batch") {
  for (const char* const name : {"mlp", "cnn", "lstm"}) {
    INFO(name);
    const ModelEntry& entry = models().require(name, "");
    const auto train = [&](std::int64_t parts) {
      at::manual_seed(1);
      const auto model = entry.build(all_sizes(entry, {}));
      TrainPoint point{.batch_size = 12};
      point.accumulate = parts;
      Trainer trainer(*model, point, at::kCPU);
      at::manual_seed(2);
      const Batch batch = example_batch(entry.spec, 12, at::TensorOptions(at::kCPU));
      std::vector<double> losses;
      for (int step = 0; step < 3; ++step) {
        trainer.begin_epoch(12);
        switch_dropout_off(*model);
        trainer.run_step(batch);
        losses.push_back(trainer.epoch_figures().front());
      }
      CHECK(trainer.trained_steps() == 3);
      CHECK(trainer.first_step_metrics().front() == approx(losses.front()));
      return losses;
    };
    const std::vector<double> whole = train(1);
    for (const std::int64_t parts : {3, 5, 100}) {
      const std::vector<double> accumulated = train(parts);
      for (std::size_t i = 0; i < whole.size(); ++i)
        CHECK(std::abs(accumulated[i] - whole[i]) < 1e-5 * std::abs(whole[i]));
    }
  }
}

TEST_CASE("the metrics of the first step are means over its own samples") {
  at::manual_seed(0);
  const auto model = tiny_model().build({});
  const ResidentSplit split(tiny_dataset().train, 0, at::kCPU);
  Trainer trainer(*model, {.batch_size = 16}, at::kCPU);
  trainer.begin_epoch(16);
  trainer.run_step(split.slice(0, 16));
  const double loss = trainer.epoch_figures().front();
  trainer.begin_epoch(2);
  trainer.run_step(split.slice(16, 2));
  CHECK(trainer.first_step_metrics().front() == approx(loss));
}

TEST_CASE("accumulation is unsupported for a model with several optimizers") {
  TwoGroups model;
  TrainPoint point{.batch_size = 16};
  point.accumulate = 2;
  CHECK_THROWS_AS(Trainer(model, point, at::kCPU), Unsupported);
}

TEST_CASE("an overflow of one group's scaled loss does not affect other groups") {
  TwoGroups model(1e36);  // Overflows fp32 when scaled.
  TrainPoint point{.batch_size = 16};
  point.mode.precision = Precision::kAmpFp16;
  Trainer trainer(model, point, at::kCPU);
  make_three_steps(trainer);
  CHECK(model.second() == approx(1 - 0.1 * 3 * 3));
  CHECK(model.first() == 1);
  CHECK(trainer.trained_steps() == 3);  // Updates by the first group's other loss, with zero gradients.
}

TEST_CASE("resident inputs are bytes / 255, and targets are labels") {
  const Dataset data = tiny_dataset();
  const ResidentSplit split(data.train, 0, at::kCPU);
  const Batch batch = split.slice(7, 2);
  CHECK(split.size() == 50);
  CHECK(batch.inputs.sizes() == at::IntArrayRef{2, 1, 2, 2});
  const auto byte = static_cast<unsigned char>(data.train.inputs.bytes[7 * 4 + 1]);
  CHECK(batch.inputs[0][0][0][1].item<float>() == approx(byte / 255.0));
  const auto* labels = reinterpret_cast<const std::int64_t*>(data.train.targets.bytes.data());
  CHECK(batch.targets[1].item<std::int64_t>() == labels[8]);
}

TEST_CASE("gathering keeps samples and targets together") {
  const ResidentSplit split(tiny_dataset().train, 0, at::kCPU);
  const at::Tensor order = at::arange(49, -1, -1, at::kLong);
  const Batch reversed = split.gather(order);
  CHECK(reversed.inputs[0].equal(split.slice(49, 1).inputs[0]));
  CHECK(reversed.targets.flip(0).equal(split.slice(0, 50).targets));
}

TEST_CASE("the metrics of an epoch are means over all samples, the short last batch weighted by its size") {
  at::manual_seed(0);
  const auto model = tiny_model().build({});
  ResidentSplit split(tiny_dataset().train, 0, at::kCPU);
  // The learning rate is too small to change anything, so all batch sizes have the same mean.
  Trainer by_one(*model, {.batch_size = 50, .learning_rate = 1e-30}, at::kCPU);
  by_one.queue_epoch(split, [](std::int64_t) {});
  Trainer by_sixteen(*model, {.batch_size = 16, .learning_rate = 1e-30}, at::kCPU);
  by_sixteen.queue_epoch(split, [](std::int64_t) {});
  CHECK(by_sixteen.epoch_figures()[0] == approx(by_one.epoch_figures()[0]));
  CHECK(by_sixteen.epoch_figures()[1] == approx(by_one.epoch_figures()[1]));
  CHECK(by_sixteen.evaluate(split)[0] == approx(by_one.epoch_figures()[0]));
}

}  // namespace gpubench::test::trainer_test
