// Layers with special CPU kernels have the results of LibTorch's layers.

#include <limits>

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include "blocks.h"
#include "gpubench/model.h"
#include "narrow_convolution.h"
#include "support/catch.h"
#include "winograd.h"
#include "workloads/cost/cost.h"
#include "workloads/train/optimizer/optimizer.h"

namespace gpubench::test::products_test {

namespace {

/// Output, and gradients of input and parameters.
using Pass = std::vector<at::Tensor>;

template <class Forward>
Pass pass(const at::Tensor& input, const std::vector<at::Tensor>& learnt, Forward forward) {
  const at::Tensor leaf = input.detach().requires_grad_();
  for (const at::Tensor& each : learnt) each.mutable_grad().reset();
  const at::Tensor output = forward(leaf);
  (output * at::arange(output.numel()).view(output.sizes()).remainder(7)).sum().backward();
  Pass made{output, leaf.grad()};
  for (const at::Tensor& each : learnt) made.push_back(each.grad());
  return made;
}

void check_equal(const Pass& a, const Pass& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(i);
    CHECK(a[i].sizes() == b[i].sizes());
    CHECK(a[i].allclose(b[i], /*rtol=*/1e-3, /*atol=*/1e-3));
  }
}

/// Checks the differences as a fraction of the Euclidean norm.
void check_close(const Pass& a, const Pass& b, double tolerance) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(i);
    const at::Tensor exact = b[i].to(at::kDouble);
    CHECK((a[i] - exact).norm().item<double>() <= tolerance * exact.norm().item<double>());
  }
}

void move_channels_last(const std::vector<at::Tensor>& parameters) {
  for (at::Tensor each : parameters) {
    if (each.dim() == 4) each.set_data(each.detach().clone(at::MemoryFormat::ChannelsLast));
  }
}

struct Types {
  at::ScalarType stored;  // Type of parameters and inputs.
  std::optional<at::ScalarType> autocast;

  bool is_fp32() const { return stored == at::kFloat && !autocast; }
};

const Types kTypes[] = {{at::kFloat, {}}, {at::kBFloat16, {}}, {at::kFloat, at::kBFloat16}};

at::Tensor images(std::int64_t size, at::MemoryFormat layout) {
  return at::randn({5, 8, size, size}).contiguous(layout);
}

}  // namespace

TEST_CASE("a dense layer matches LibTorch's product for rows, sequences and strided rows") {
  at::manual_seed(1);
  Dense layer(24, 10);
  for (const at::Tensor& input : {at::randn({7, 24}), at::randn({3, 7, 24}), at::randn({0, 24}),
                                  at::randn({7, 4096}).narrow(1, 0, 24), at::randn({24, 7}).t()}) {
    const auto own = pass(input, layer->parameters(), [&](const at::Tensor& x) { return layer->forward(x); });
    const auto usual = pass(input, layer->parameters(),
                            [&](const at::Tensor& x) { return at::linear(x, layer->weight, layer->bias); });
    check_equal(own, usual);
  }
}

TEST_CASE("the arithmetic of a dense layer is counted once, forward and backward") {
  Dense layer(24, 10);
  const at::Tensor input = at::randn({7, 24});
  const auto cost = count_step([&] { layer->forward(input).sum().backward(); });
  CHECK(cost.flop == 2 * 2 * 7 * 24 * 10);
}

TEST_CASE("a 1x1 convolution matches LibTorch's in both layouts, with a stride and for single pixels") {
  const std::int64_t size = GENERATE(1, 4, 5);
  const std::int64_t stride = GENERATE(1, 2);
  const auto layout = GENERATE(at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast);
  CAPTURE(size, stride, layout);
  at::manual_seed(1);
  Convolution layer(torch::nn::Conv2dOptions(8, 3, 1).stride(stride));
  const at::Tensor input = images(size, layout);
  const auto own = pass(input, layer->parameters(), [&](const at::Tensor& x) { return layer->forward(x); });
  const auto usual =
      pass(input, layer->parameters(), [&](const at::Tensor& x) { return layer->Conv2dImpl::forward(x); });
  check_equal(own, usual);
  // The next layer must not need to change the layout.
  CHECK(own[0].is_contiguous(layout));
  CHECK(own[1].is_contiguous(layout));
}

TEST_CASE("a 3x3 convolution of many channels has the results and gradients of the definition") {
  const std::int64_t padding = GENERATE(0, 1);
  const std::int64_t size = GENERATE(7, 8);
  const std::int64_t channels = GENERATE(32, 72);
  CAPTURE(padding, size, channels);
  at::manual_seed(1);
  Convolution layer(torch::nn::Conv2dOptions(channels, 128, 3).padding(padding));
  move_channels_last(layer->parameters());
  const at::Tensor input = at::randn({130, channels, size, size}).contiguous(at::MemoryFormat::ChannelsLast);
  if (!is_for_winograd(input, layer->weight, padding)) {
    WARN("MKL is missing, or slow on this processor: the layer is LibTorch's");
    return;
  }
  const Pass own = pass(input, layer->parameters(), [&](const at::Tensor& x) { return layer->forward(x); });
  const at::Tensor weight = layer->weight.to(at::kDouble).detach().requires_grad_();
  const at::Tensor bias = layer->bias.to(at::kDouble).detach().requires_grad_();
  const Pass exact = pass(input.to(at::kDouble), {weight, bias},
                          [&](const at::Tensor& x) { return at::conv2d(x, weight, bias, 1, padding); });
  check_close(own, exact, 1e-5);
}

TEST_CASE("a 3x3 convolution of narrow images in bf16 has the results and gradients of the definition") {
  const std::int64_t padding = GENERATE(0, 1);
  const std::int64_t columns = GENERATE(1, 3);
  const Types types = kTypes[GENERATE(1, 2)];
  CAPTURE(padding, columns, types.autocast.has_value());
  at::manual_seed(1);
  Convolution layer(torch::nn::Conv2dOptions(40, 24, 3).padding(padding));
  layer->to(types.stored);
  move_channels_last(layer->parameters());
  const std::int64_t border = 2 - 2 * padding;
  const at::Tensor input = at::randn({9, 40, 4 + border, columns + border})
                               .to(at::kBFloat16)
                               .contiguous(at::MemoryFormat::ChannelsLast);
  if (!is_for_narrow_convolution(input, padding)) {
    WARN("this processor has no instructions for bf16: the layer is LibTorch's");
    return;
  }
  const Pass own = pass(input, layer->parameters(), [&](const at::Tensor& x) {
    const Autocast scope(at::kCPU, types.autocast);
    return layer->forward(x);
  });
  const at::Tensor weight = layer->weight.to(at::kDouble).detach().requires_grad_();
  const at::Tensor bias = layer->bias.to(at::kDouble).detach().requires_grad_();
  const Pass exact = pass(input.to(at::kDouble), {weight, bias},
                          [&](const at::Tensor& x) { return at::conv2d(x, weight, bias, 1, padding); });
  check_close(own, exact, 0.01);
}

TEST_CASE("a pooled convolution of few channels has the results and gradients of LibTorch's operations") {
  const std::int64_t padding = GENERATE(0, 2);
  const std::int64_t size = GENERATE(8, 9);
  const std::int64_t channels = GENERATE(1, 3);
  const Types types = kTypes[GENERATE(0, 1, 2)];
  CAPTURE(padding, size, channels, types.stored, types.autocast.has_value());
  at::manual_seed(1);
  PooledConvolution layer(channels, 32, 3, padding);
  layer->to(types.stored);
  const auto learnt = layer->parameters();
  move_channels_last(learnt);
  const at::Tensor input =
      at::randn({7, channels, size, size}).to(types.stored).contiguous(at::MemoryFormat::ChannelsLast);
  const auto train = [&](const at::Tensor& images) {
    for (const at::Tensor& each : learnt) each.mutable_grad().reset();
    const Autocast scope(at::kCPU, types.autocast);
    const at::Tensor output = layer->forward(images);
    (output * at::arange(output.numel()).view(output.sizes()).remainder(7)).sum().backward();
    return Pass{output, learnt[0].grad(), learnt[1].grad()};
  };
  const Pass own = train(input);
  const Pass usual = train(input.detach().requires_grad_());  // The kernel has no gradient of images.
  // In bf16, equal rounded maxima may have other places.
  check_close(own, usual, types.is_fp32() ? 1e-5 : 0.05);
}

TEST_CASE("special kernels count the arithmetic of the definition") {
  const std::int64_t padding = GENERATE(0, 1);
  Convolution many(torch::nn::Conv2dOptions(64, 128, 3).padding(padding));
  PooledConvolution few(3, 32, 3, padding);
  move_channels_last(many->parameters());
  move_channels_last(few->parameters());
  const auto count = [](auto& layer, const at::Tensor& input) {
    return count_step([&] { layer->forward(input).sum().backward(); }).flop;
  };
  const auto side = static_cast<double>(7 + 2 * padding);
  const at::Tensor features =
      at::randn({130, 64, 9, 9}).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_();
  CHECK(count(many, features) == 3 * 2 * 130 * side * side * 9 * 64 * 128);
  const at::Tensor images = at::randn({5, 3, 9, 9}).contiguous(at::MemoryFormat::ChannelsLast);
  CHECK(count(few, images) == 2 * 2 * 5 * side * side * 9 * 3 * 32);
  const double columns = 1 + 2 * static_cast<double>(padding);
  many->to(at::kBFloat16);
  const at::Tensor narrow =
      at::randn({5, 64, 9, 3}).to(at::kBFloat16).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_();
  CHECK(count(many, narrow) == 3 * 2 * 5 * side * columns * 9 * 64 * 128);
}

TEST_CASE("pooling with ReLU matches LibTorch's operations, also for odd sizes, ties, bf16 and NaN") {
  const std::int64_t size = GENERATE(2, 5, 8);
  const auto layout = GENERATE(at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast);
  const auto type = GENERATE(at::kFloat, at::kBFloat16);
  CAPTURE(size, layout, type);
  at::manual_seed(1);
  at::Tensor input = images(size, layout).mul(2).round().to(type);  // Rounded, so that some values are equal.
  const auto usual = [](const at::Tensor& x) { return at::max_pool2d(x, 2).relu(); };
  check_equal(pass(input, {}, pool_and_relu), pass(input, {}, usual));
  input.select(0, 1).fill_(std::numeric_limits<float>::quiet_NaN());
  CHECK(at::equal(pool_and_relu(input).isnan(), usual(input).isnan()));
}

TEST_CASE("an LSTM of large batches has the results and gradients of the definition") {
  const Types types = kTypes[GENERATE(0, 1, 2)];
  CAPTURE(types.stored, types.autocast.has_value());
  const std::int64_t batch = 130 * at::get_num_threads() + 1;  // With incomplete blocks.
  const at::Tensor images = at::rand({batch, 1, 28, 28}).to(types.is_fp32() ? at::kFloat : at::kBFloat16);
  const at::Tensor targets = at::randint(10, {batch}, at::kLong);
  const auto train = [&](at::ScalarType trained, std::optional<at::ScalarType> lower) {
    at::manual_seed(1);
    const auto model = models().require("lstm", "").build({});
    if (!types.is_fp32()) model->to(at::kBFloat16);
    model->to(trained);
    const Autocast scope(at::kCPU, lower);
    const at::Tensor logits = model->predict(images.to(trained));
    at::cross_entropy_loss(logits, targets).backward();
    Pass made{logits};
    for (const at::Tensor& each : model->parameters()) made.push_back(each.grad());
    return made;
  };
  const Pass own = train(types.stored, types.autocast);
  CHECK(own.size() == 7);
  check_close(own, train(at::kDouble, std::nullopt), types.is_fp32() ? 1e-5 : 0.05);
}

}  // namespace gpubench::test::products_test
