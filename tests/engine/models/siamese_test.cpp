#include <cmath>

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include "generative.h"
#include "support/catch.h"

namespace gpubench::test::siamese_test {

namespace {

/// Returns noise, with every other pair labelled as equal.
Batch pairs(std::int64_t count) {
  Batch batch = random_batch("siamese", count);
  batch.targets = at::arange(count, at::kLong).remainder(2);
  return batch;
}

}  // namespace

TEST_CASE("the siamese network has the initial weights and the recipe of the example") {
  const auto model = built("siamese");
  auto parameters = model->named_parameters();
  for (const char* const name : {"comparison.0.bias", "comparison.2.bias"}) {
    CHECK(parameters[name].eq(0.01F).all().item<bool>());
  }
  const double bound = std::sqrt(6.0 / (1024 + 256));
  const double largest = parameters["comparison.0.weight"].abs().max().item<double>();
  CHECK(largest <= bound);
  CHECK(largest > 0.99 * bound);
  // He initialization for the fan-out of a 3x3 convolution to 512 channels.
  CHECK(
      std::abs(parameters["features.11.residual.3.weight"].std().item<double>() / std::sqrt(2.0 / (512 * 9)) -
               1) < 0.01);

  const auto groups = model->parameter_groups();
  REQUIRE(groups.size() == 1);
  CHECK(std::get<AdadeltaRecipe>(groups.front().recipe).learning_rate == 1);
  CHECK(groups.front().epoch_decay == 0.7);
}

TEST_CASE("channels-last does not change the pairs") {
  const auto model = built("siamese");
  const Batch batch = pairs(3);
  const Batch last{batch.inputs.contiguous(at::MemoryFormat::ChannelsLast), batch.targets};
  CHECK(evaluation_sums(*model, last).allclose(evaluation_sums(*model, batch), 1e-5));
  check_formats("siamese");
}

}  // namespace gpubench::test::siamese_test
