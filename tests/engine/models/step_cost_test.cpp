// Compares the cost of training steps with manual counts.

#include "workloads/cost/cost.h"

#include <future>

#include <ATen/Context.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>

#include "generative.h"
#include "gpubench/model.h"
#include "support/catch.h"
#include "workloads/cases/runner.h"
#include "workloads/train/optimizer/optimizer.h"

namespace gpubench::test::step_cost_test {
using gpubench::test::approx;

namespace {

constexpr double kLinear = 2.0 * 64 * 256 * 128;

/// Returns output positions times weights of a square convolution.
constexpr std::int64_t conv(std::int64_t side, std::int64_t out, std::int64_t in, std::int64_t kernel) {
  return side * side * out * in * kernel * kernel;
}

/// Multiplications that the first layer saves, since its input needs no gradient.
struct Saved {
  std::string model;
  std::int64_t macs;
};

/// Returns 0 with oneDNN, whose LSTM computes that gradient anyway. Otherwise an LSTM consists of matrix
/// products, and LibTorch also omits the gradient of the initial state.
std::int64_t saved_by_lstm() { return at::hasMKLDNN() ? 0 : 28 * 28 * 4 * 128 + 128 * 4 * 128; }

std::vector<Saved> saved_by_first_layers() {
  return {{"mlp", 784 * 512},           {"cnn", conv(26, 32, 1, 3)},      {"lstm", saved_by_lstm()},
          {"cnn0", conv(30, 32, 3, 3)}, {"cnn1", conv(32, 32, 3, 3)},     {"cnn2", conv(32, 32, 3, 3)},
          {"cnn3", conv(32, 64, 3, 7)}, {"resnet50", conv(16, 64, 3, 7)}, {"vit", conv(8, 192, 3, 4)}};
}

/// Counts forward and backward pass only.
class GradientStep : public Step {
 public:
  at::Tensor minimise(std::size_t, const std::function<at::Tensor()>& compute_loss) override {
    const at::Tensor loss = compute_loss();
    loss.backward();
    return loss.detach();
  }
};

/// `samples` is at least 2, for batch normalization.
StepCost cost_of_step(const ModelEntry& entry, std::int64_t samples) {
  const auto model = entry.build(all_sizes(entry, {}));
  std::vector<std::int64_t> shape{samples};
  shape.insert(shape.end(), entry.spec.sample_shape.begin(), entry.spec.sample_shape.end());
  const Batch batch{at::rand(shape), at::zeros({samples}, at::kLong)};
  GradientStep step;
  return count_step([&] { model->train_step(batch, step); });
}

double count_flop(const std::function<void()>& work) { return count_step(work).flop; }

/// Counts forward and backward pass of an LSTM with 3 features and 5 units on 2 sequences of length 7.
double flop_of_lstm(torch::nn::LSTM lstm) {
  const auto input = at::randn({7, 2, 3}).requires_grad_();
  const auto state = at::randn({lstm->options.num_layers(), 2, 5}).requires_grad_();
  const auto cell = at::randn({lstm->options.num_layers(), 2, 5}).requires_grad_();
  return count_flop(
      [&] { std::get<0>(lstm->forward(input, std::make_tuple(state, cell))).sum().backward(); });
}

}  // namespace

TEST_CASE("a linear layer of 64 x 256 x 128 takes 12.58 MFLOP, less if its input needs no gradient") {
  torch::nn::Linear layer(256, 128);
  const auto samples = at::randn({64, 256});
  CHECK(count_flop([&] { layer->forward(samples); }) == kLinear);
  CHECK(count_flop([&] { layer->forward(samples).sum().backward(); }) == 2 * kLinear);
  const auto activations = at::randn({64, 256}).requires_grad_();
  const double whole = count_flop([&] { layer->forward(activations).sum().backward(); });
  CHECK(whole == 3 * kLinear);
  CHECK(whole == approx(12.58e6).epsilon(1e-3));
}

TEST_CASE("a convolution counts its output positions forward and per gradient") {
  const auto images = at::randn({2, 6, 9, 9}).requires_grad_();
  const auto train = [&](const std::function<at::Tensor()>& convolve) {
    return count_flop([&] { convolve().sum().backward(); });
  };
  const auto dense = at::randn({4, 6, 3, 3}).requires_grad_();
  const auto grouped = at::randn({4, 3, 3, 3}).requires_grad_();
  const auto transposed = at::randn({6, 5, 4, 4}).requires_grad_();
  // From 9 x 9 positions: 5 x 5 with padding 1 and stride 2, 7 x 7 with padding 1 and dilation 2.
  CHECK(train([&] { return at::conv2d(images, dense, {}, 2, 1); }) == 3 * 2 * 2 * 25 * 4 * 6 * 9);
  CHECK(train([&] { return at::conv2d(images, dense, {}, 1, 1, 2); }) == 3 * 2 * 2 * 49 * 4 * 6 * 9);
  CHECK(train([&] { return at::conv2d(images, grouped, {}, 2, 1, 1, 2); }) == 3 * 2 * 2 * 25 * 4 * 3 * 9);
  CHECK(train([&] { return at::conv_transpose2d(images, transposed, {}, 2); }) ==
        3 * 2 * 2 * 81 * 6 * 5 * 16);
  CHECK(train([&] { return at::conv2d(images.detach(), dense, {}, 2, 1); }) == 2 * 2 * 2 * 25 * 4 * 6 * 9);
  const auto rows = at::randn({2, 6, 9});
  CHECK(count_flop([&] { at::conv1d(rows, at::randn({4, 6, 3})); }) == 2 * 2 * 7 * 4 * 6 * 3);
}

TEST_CASE("an LSTM counts its two weight matrices per element, and twice as much backward") {
  const auto options = torch::nn::LSTMOptions(3, 5);
  constexpr double kLayer = 2.0 * 7 * 2 * 4 * 5 * (3 + 5);
  constexpr double kSecondLayer = 2.0 * 7 * 2 * 4 * 5 * (5 + 5);
  CHECK(flop_of_lstm(torch::nn::LSTM(options)) == 3 * kLayer);
  CHECK(flop_of_lstm(torch::nn::LSTM(torch::nn::LSTMOptions(3, 5).num_layers(2))) ==
        3 * (kLayer + kSecondLayer));
}

TEST_CASE("attention counts its two products, and twice as much backward") {
  const auto tensor = [](std::int64_t length) { return at::randn({2, 3, length, 16}).requires_grad_(); };
  const auto queries = tensor(5);
  const auto keys = tensor(7);
  const auto values = tensor(7);
  CHECK(count_flop([&] { at::scaled_dot_product_attention(queries, keys, values).sum().backward(); }) ==
        3 * 2 * 2 * 3 * 5 * 7 * (16 + 16));
}

TEST_CASE("a classifier trains with 6 FLOP per forward multiply-accumulate, except in its first layer") {
  std::vector<std::string> names;
  for (const Saved& saved : saved_by_first_layers()) {
    INFO(saved.model);
    names.push_back(saved.model);
    const ModelEntry& entry = models().require(saved.model, "");
    const auto expected = static_cast<double>(6 * model_cost(entry).forward_macs - 2 * saved.macs);
    CHECK(cost_of_step(entry, 2).flop == 2 * expected);
    CHECK(cost_of_step(entry, 5).flop == 5 * expected);
  }
  std::vector<std::string> classifiers;
  for (const ModelEntry& entry : models()) {
    if (entry.spec.task == Task::kClassification) classifiers.push_back(entry.name);
  }
  CHECK(names == classifiers);
}

TEST_CASE("the costs of four and eight samples predict those of any batch size") {
  const ModelEntry& entry = models().require("cnn", "");
  std::vector<std::int64_t> sizes;
  const auto model = entry.build({});
  GradientStep optimizer;
  const auto train = [&](std::int64_t samples) {
    sizes.push_back(samples);
    model->zero_grad();
    model->train_step({at::ones({samples, 1, 28, 28}), at::zeros({samples}, at::kLong)}, optimizer);
  };
  const StepCost told = cost_of_batch(train, 50);
  CHECK(sizes == std::vector<std::int64_t>{4, 8});
  const StepCost real = count_step([&] { train(50); });
  CHECK(told.flop == real.flop);
  CHECK(told.operations == real.operations);
  CHECK(told.bytes == approx(real.bytes));

  sizes.clear();
  CHECK(cost_of_batch(train, 6) == count_step([&] { train(6); }));
  CHECK(sizes == std::vector<std::int64_t>{6, 6});

  // Every rank has samples in a counted step.
  for (std::int64_t rank = 0; rank < 5; ++rank) {
    const RankShare share{rank, 5};
    const auto train_share = [&](std::int64_t count) { train(share.size(count)); };
    sizes.clear();
    const StepCost of_share = cost_of_batch(train_share, 53, share);
    CHECK(sizes == std::vector<std::int64_t>{4, 8});
    CHECK(of_share.flop == count_step([&] { train(share.size(53)); }).flop);
    CHECK(cost_of_batch(train_share, 7, share) == count_step([&] { train(share.size(7)); }));
  }
}

TEST_CASE("steps of every model are counted without its data, and match the FLOP of its training") {
  for (const ModelEntry& entry : models()) {
    INFO(entry.name);
    Case c;
    c.model = &entry;
    c.sizes = small_sizes(entry);
    const Measured<StepCosts> costs = step_costs(c);
    REQUIRE(costs.has_value());
    CHECK(costs.value().large.flop > costs.value().small.flop);
    CHECK(costs.value().of_batch(4) == costs.value().small);
  }
}

TEST_CASE("work of other threads counts, since LibTorch runs a GPU's backward pass on one") {
  torch::nn::Linear layer(256, 128);
  const auto work = [&] { layer->forward(at::ones({64, 256})).sum(); };
  const StepCost here = count_step(work);
  const StepCost both = count_step([&] {
    auto other = std::async(std::launch::async, work);
    work();
    other.get();
  });
  CHECK(both.flop == 2 * here.flop);
  CHECK(both.operations == 2 * here.operations);
  CHECK(both.bytes == 2 * here.bytes);
}

}  // namespace gpubench::test::step_cost_test
