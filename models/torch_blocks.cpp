#include "torch_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include <ATen/ops/argmax.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <torch/nn/functional/loss.h>

namespace gpubench {
namespace {

constexpr std::int64_t kElementsPerDraw = 4;  // A draw of 64 bits makes so many of 16.
constexpr std::int64_t kValues = 65536;       // Of a 16-bit integer.

/// 16 random bits for each element of `input`, laid out as it is. LibTorch's own mask takes a draw of its
/// generator and a comparison for each element, in one thread, unless the processor is Intel's.
at::Tensor random_bits(const at::Tensor& input) {
  const std::int64_t draws = (input.numel() + kElementsPerDraw - 1) / kElementsPerDraw;
  const at::Tensor bits =
      at::empty({draws}, at::kLong)
          .random_(std::numeric_limits<std::int64_t>::min(), std::optional<std::int64_t>());
  const at::Tensor words = bits.view(at::kShort);
  if (input.is_non_overlapping_and_dense()) return words.as_strided(input.sizes(), input.strides());
  return words.narrow(0, 0, input.numel()).view(input.sizes());
}

at::Tensor dropout_on_cpu(const at::Tensor& input, double probability) {
  const auto dropped = std::min<std::int64_t>(std::llround(probability * kValues), kValues - 1);
  const std::int64_t least_kept = std::numeric_limits<std::int16_t>::min() + dropped;
  const at::Tensor kept = random_bits(input).ge(least_kept).to(input.scalar_type());
  return input * kept.mul_(static_cast<double>(kValues) / static_cast<double>(kValues - dropped));
}

class Classifier : public Model {
 public:
  explicit Classifier(torch::nn::Sequential network)
      : network_(register_module("network", std::move(network))) {}

  std::vector<ParameterGroup> parameter_groups() override {
    return {{"network", parameters(), AdamRecipe{}}};
  }

  std::vector<std::string> metrics() const override { return {"loss", "accuracy"}; }

  Results train_step(const Batch& batch, Step& step) override {
    at::Tensor logits;
    const at::Tensor loss = step.minimise(0, [&] {
      logits = network_->forward(batch.inputs);
      return torch::nn::functional::cross_entropy(logits, batch.targets);
    });
    return {loss, logits.detach(), batch.targets};
  }

  Results evaluate(const Batch& batch) override {
    const at::Tensor logits = network_->forward(batch.inputs);
    return {torch::nn::functional::cross_entropy(logits, batch.targets), logits, batch.targets};
  }

  /// Of mean losses, logits and targets.
  at::Tensor score(const Results& results, std::int64_t samples) const override {
    return loss_and_correct(results[0] * samples, results[1].argmax(2), results[2]);
  }

 private:
  torch::nn::Sequential network_;
};

}  // namespace

at::Tensor dropout(const at::Tensor& input, double probability, bool is_training) {
  if (!is_training || probability <= 0) return input;
  if (input.device().is_cpu()) return dropout_on_cpu(input, probability);
  return at::dropout(input, probability, /*train=*/true);
}

at::Tensor loss_and_correct(const at::Tensor& losses, const at::Tensor& answers, const at::Tensor& targets) {
  return at::stack({losses, answers.eq(targets).sum(1, /*keepdim=*/false, at::kFloat)}, 1);
}

std::shared_ptr<Model> make_classifier(torch::nn::Sequential network) {
  return std::make_shared<Classifier>(std::move(network));
}

}  // namespace gpubench
