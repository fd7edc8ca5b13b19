#include <cmath>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include "generative.h"
#include "support/catch.h"

using namespace gpubench;
using namespace gpubench::test;

namespace {

/// Noise, of which every other pair is said to be of one class.
Batch pairs(std::int64_t count) {
  Batch batch = random_batch("siamese", count);
  batch.targets = at::arange(count, at::kLong).remainder(2);
  return batch;
}

at::Tensor evaluation(Model& model, const Batch& batch) {
  const at::NoGradGuard no_grad;
  model.eval();
  return evaluation_sums(model, batch);
}

}  // namespace

TEST_CASE("a siamese network that compares nothing is as sure of each answer, and says no") {
  const auto model = built("siamese");
  auto parameters = model->named_parameters();
  fill({parameters["comparison.2.weight"], parameters["comparison.2.bias"]}, 0);
  const at::Tensor unsure = evaluation(*model, pairs(5));
  CHECK(value(unsure, 0) == approx(5 * std::log(2)));
  CHECK(value(unsure, 1) == 3);

  fill({parameters["comparison.2.bias"]}, 2);
  const at::Tensor sure = evaluation(*model, pairs(5));
  CHECK(value(sure, 0) == approx(2 * std::log1p(std::exp(-2)) + 3 * std::log1p(std::exp(2))));
  CHECK(value(sure, 1) == 2);
}

TEST_CASE("both images of a pair go through the same weights") {
  const auto model = built("siamese");
  const Batch batch = pairs(4);
  const at::Tensor before = evaluation(*model, batch);
  const Batch swapped{batch.inputs.flip(1).contiguous(), batch.targets};
  CHECK_FALSE(evaluation(*model, swapped).allclose(before, 1e-6));
  {
    const at::NoGradGuard no_grad;
    at::Tensor weight = model->named_parameters()["comparison.0.weight"];
    weight.copy_(at::cat({weight.narrow(1, 512, 512), weight.narrow(1, 0, 512)}, 1));
  }
  CHECK(evaluation(*model, swapped).allclose(before, 1e-5));
}

TEST_CASE("each image of the pairs is normalised by the statistics of its own batch") {
  const auto model = built("siamese");
  Batch batch = pairs(4);
  Descent step(*model, 0);
  model->train_step(batch, step);
  CHECK(model->named_buffers()["features.1.num_batches_tracked"].item<std::int64_t>() == 2);

  // In a batch together with those of the other channel, they would change its loss when they are scaled.
  const at::Tensor first = step_sums(*model, batch, step);
  batch.inputs.select(1, 1).mul_(100);
  CHECK(step_sums(*model, batch, step).allclose(first, 1e-2));
}

TEST_CASE("the siamese network starts as the example does and has its recipe") {
  const auto model = built("siamese");
  auto parameters = model->named_parameters();
  for (const char* const name : {"comparison.0.bias", "comparison.2.bias"}) {
    CHECK(parameters[name].eq(0.01F).all().item<bool>());
  }
  const double bound = std::sqrt(6.0 / (1024 + 256));
  const double largest = parameters["comparison.0.weight"].abs().max().item<double>();
  CHECK(largest <= bound);
  CHECK(largest > 0.99 * bound);
  // He initialisation over what a 3x3 convolution to 512 channels gives.
  CHECK(
      std::abs(parameters["features.11.residual.3.weight"].std().item<double>() / std::sqrt(2.0 / (512 * 9)) -
               1) < 0.01);

  const auto groups = model->parameter_groups();
  REQUIRE(groups.size() == 1);
  CHECK(std::get<AdadeltaRecipe>(groups.front().recipe).learning_rate == 1);
  CHECK(groups.front().epoch_decay == 0.7);
}

TEST_CASE("training lowers the siamese network's loss on a batch, and evaluation repeats itself") {
  const auto model = built("siamese");
  const Batch batch = pairs(8);
  Descent step(*model, 1e-3);
  const at::Tensor first = step_sums(*model, batch, step);
  at::Tensor last;
  for (int i = 0; i < 4; ++i) last = step_sums(*model, batch, step);
  CHECK(value(last, 0) < value(first, 0));
  CHECK(evaluation(*model, batch).equal(evaluation(*model, batch)));
}

TEST_CASE("pairs whose channels are last are the same pairs") {
  const auto model = built("siamese");
  const Batch batch = pairs(3);
  const Batch last{batch.inputs.contiguous(at::MemoryFormat::ChannelsLast), batch.targets};
  CHECK(evaluation(*model, last).allclose(evaluation(*model, batch), 1e-5));
  check_formats("siamese");
}
