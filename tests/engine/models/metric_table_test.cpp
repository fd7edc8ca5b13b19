// Metrics of batches: their cost per step and their sums.

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "generative.h"
#include "support/catch.h"
#include "tiny.h"
#include "workloads/cost/cost.h"
#include "workloads/train/trainer.h"

namespace gpubench::test::metric_table_test {

namespace {

constexpr std::int64_t kSamples = 2;

/// Computes each loss `times_` times, without updates.
class LossStep : public Step {
 public:
  explicit LossStep(int times) : times_(times) {}
  at::Tensor minimise(std::size_t, const std::function<at::Tensor()>& compute_loss) override {
    at::Tensor loss;
    for (int i = 0; i < times_; ++i) loss = compute_loss();
    return loss.detach();
  }

 private:
  int times_;
};

/// Returns the results of an evaluation of batches of these sizes, with different noise.
std::vector<Results> evaluated(Model& model, const DataSpec& spec, const std::vector<std::int64_t>& sizes) {
  const at::NoGradGuard no_grad;
  model.eval();
  std::vector<Results> all;
  for (const std::int64_t size : sizes) all.push_back(model.evaluate(example_batch(spec, size, {})));
  return all;
}

}  // namespace

TEST_CASE("metrics take at most two operations per step in every network") {
  for (const ModelEntry& entry : models()) {
    INFO(entry.name);
    const auto model = built(entry.name);
    const Batch batch = example_batch(spec_at(entry, small_sizes(entry)), kSamples, {});
    const auto operations = [&](int times) {
      LossStep step(times);
      return count_step([&] { model->train_step(batch, step); }).operations;
    };
    CHECK(2 * operations(1) - operations(2) <= 2);
  }
}

TEST_CASE("metrics are fp32 sums over the batches in order") {
  const std::string name = GENERATE("mlp", "siamese", "dcgan", "vae", "transformer_lm");
  const auto model = built(name);
  const std::vector<std::int64_t> sizes{3, 3, 3, 2, 2, 3, 1};
  const auto batches = evaluated(*model, spec_at(models().require(name, ""), {}), sizes);
  MetricTable table(*model, at::kCPU);
  table.clear(7);
  at::Tensor expected = at::zeros({static_cast<std::int64_t>(model->metrics().size())});
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    table.add(batches[i], sizes[i]);
    expected.add_(metric_sums(*model, batches[i], sizes[i]));
  }
  table.score();
  const std::vector<double> sums = table.sums();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double sum = expected[static_cast<std::int64_t>(i)].item<float>();
    INFO(name << ": " << model->metrics()[i]);
    if (name == "dcgan")
      CHECK(sums[i] == approx(sum));  // Sums over rows may round differently.
    else
      CHECK(sums[i] == sum);
  }
}

TEST_CASE("accuracy counts samples whose target has the largest logit, over any number of batches") {
  const auto model = built("mlp");
  const at::Tensor logits = at::eye(10);
  MetricTable table(*model, at::kCPU);
  for (const std::int64_t batches : {1, 32, 33, 100}) {
    table.clear(batches);
    for (std::int64_t i = 0; i < batches; ++i) {
      // The answer for sample k is k; the first i % 11 are correct.
      at::Tensor targets = at::arange(10, at::kLong);
      targets.slice(0, i % 11).add_(1).remainder_(10);
      table.add({at::full({}, 0.5F), logits, targets}, 10);
    }
    table.score();
    std::int64_t right = 0;
    for (std::int64_t i = 0; i < batches; ++i) right += i % 11;
    const std::vector<double> sums = table.sums();
    CHECK(sums[0] == approx(0.5 * 10 * static_cast<double>(batches)));
    CHECK(sums[1] == approx(static_cast<double>(right)));
  }
}

}  // namespace gpubench::test::metric_table_test
