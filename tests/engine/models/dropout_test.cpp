#include "blocks.h"

#include <cmath>

#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>

#include "support/catch.h"

namespace gpubench::test::dropout_test {
namespace {

constexpr double kProbability = 0.2;
// The nearest probability in 16 bits, and the scale that preserves the mean.
constexpr double kGiven = 13107.0 / 65536;
const double kFactor = 1 / (1 - kGiven);

double part_dropped(const at::Tensor& values) {
  return static_cast<double>(values.eq(0).sum().item<std::int64_t>()) / static_cast<double>(values.numel());
}

}  // namespace

TEST_CASE("dropout drops the requested fraction and scales the rest") {
  at::manual_seed(1);
  const at::Tensor values = gpubench::dropout(at::ones({1000, 1001}), kProbability, /*is_training=*/true);
  // Ten standard deviations for a million values.
  CHECK(part_dropped(values) == approx(kGiven).margin(10 * std::sqrt(kGiven * (1 - kGiven) / 1e6)));
  CHECK(values.max().item<double>() == approx(kFactor));
  CHECK((values.eq(0) | values.eq(values.max())).all().item<bool>());
}

TEST_CASE("dropout is random, and reproducible by seed") {
  const at::Tensor ones = at::ones({64, 64});
  at::manual_seed(3);
  const at::Tensor first = gpubench::dropout(ones, kProbability, true);
  const at::Tensor second = gpubench::dropout(ones, kProbability, true);
  at::manual_seed(3);
  CHECK(first.equal(gpubench::dropout(ones, kProbability, true)));
  CHECK_FALSE(first.equal(second));
}

TEST_CASE("gradients of dropout use the same mask and scale") {
  at::manual_seed(4);
  const at::Tensor input = at::ones({32, 33}).requires_grad_();
  const at::Tensor output = gpubench::dropout(input, kProbability, true);
  output.sum().backward();
  CHECK(input.grad().equal(output.detach()));
}

TEST_CASE("dropout keeps the strides and the type of its input") {
  const at::Tensor last = at::randn({4, 3, 5, 6}).contiguous(at::MemoryFormat::ChannelsLast);
  CHECK(gpubench::dropout(last, kProbability, true).strides() == last.strides());
  const at::Tensor gaps = at::ones({8, 20}).narrow(1, 3, 7);
  CHECK(gpubench::dropout(gaps, kProbability, true).sizes() == gaps.sizes());
  CHECK(gpubench::dropout(at::ones({8}, at::kBFloat16), kProbability, true).scalar_type() == at::kBFloat16);
  CHECK(gpubench::dropout(at::ones({0, 8}), kProbability, true).numel() == 0);
}

TEST_CASE("dropout changes nothing in evaluation or with probability 0") {
  const at::Tensor input = at::randn({16, 16});
  CHECK(gpubench::dropout(input, kProbability, /*is_training=*/false).is_same(input));
  CHECK(gpubench::dropout(input, 0, true).is_same(input));
  Dropout layer(kProbability);
  layer->eval();
  CHECK(layer->forward(input).is_same(input));
}

}  // namespace gpubench::test::dropout_test
