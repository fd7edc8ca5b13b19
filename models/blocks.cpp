#include "blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gpubench/core/error.h"
#include "narrow_convolution.h"
#include "winograd.h"

namespace gpubench {

namespace {

constexpr std::int64_t kElementsPerDraw = 4;  // A 64-bit random number yields four 16-bit numbers.
constexpr std::int64_t kValues = 65536;       // Number of 16-bit values.

/// Draws 16 bits per element. LibTorch's mask needs one draw per element, in one thread except on Intel.
at::Tensor random_bits(const at::Tensor& input) {
  const std::int64_t draws = (input.numel() + kElementsPerDraw - 1) / kElementsPerDraw;
  const at::Tensor bits =
      at::empty({draws}, at::kLong)
          .random_(std::numeric_limits<std::int64_t>::min(), std::optional<std::int64_t>());
  const at::Tensor words = bits.view(at::kShort);
  if (input.is_non_overlapping_and_dense()) return words.as_strided(input.sizes(), input.strides());
  return words.narrow(0, 0, input.numel()).view(input.sizes());
}

class Classifier : public SingleLossModel {
 public:
  Classifier(nn::Sequential network, ParameterGroup training)
      : SingleLossModel({"loss", "accuracy"}, std::move(training)),
        network_(register_module("network", std::move(network))) {}

  at::Tensor predict(const at::Tensor& inputs) override { return network_->forward(inputs); }

  /// `results`: mean losses, logits and targets.
  at::Tensor score(const Results& results, std::int64_t samples) const override {
    return loss_and_correct(results[0] * samples, results[1].argmax(2), results[2]);
  }

 private:
  Results compute(const Batch& batch) override {
    const at::Tensor logits = predict(batch.inputs);
    return {nn::functional::cross_entropy(logits, batch.targets), logits, batch.targets};
  }

  nn::Sequential network_;
};

}  // namespace

at::Tensor ConvolutionImpl::forward(const at::Tensor& input) {
  const std::int64_t side = weight.size(2), stride = options.stride()->at(0);
  const auto* const border = std::get_if<torch::ExpandingArray<2>>(&options.padding());
  if (side == 3 && stride == 1 && border != nullptr) {
    const std::int64_t padding = (*border)->at(0);
    if (is_for_winograd(input, weight, padding)) return winograd_convolution(input, weight, bias, padding);
    if (is_for_narrow_convolution(input, padding)) return narrow_convolution(input, weight, bias, padding);
  }
  const bool is_product = side == 1 && input.is_cpu() && input.is_contiguous(at::MemoryFormat::ChannelsLast);
  if (!is_product) return Conv2dImpl::forward(input);
  // Moves channels last here, so that gradients have the same layout.
  at::Tensor pixels = input.permute({0, 2, 3, 1});
  if (stride > 1) pixels = pixels.slice(1, 0, std::nullopt, stride).slice(2, 0, std::nullopt, stride);
  const at::Tensor rows = pixels.reshape({-1, pixels.size(3)});
  const at::Tensor made = linear(rows, weight.flatten(1), bias);
  return made.view({pixels.size(0), pixels.size(1), pixels.size(2), -1}).permute({0, 3, 1, 2});
}

at::Tensor dropout(const at::Tensor& input, double probability, bool is_training) {
  if (!is_training || probability <= 0) return input;
  if (!input.device().is_cpu()) return at::dropout(input, probability, /*train=*/true);
  const auto dropped = std::min<std::int64_t>(std::llround(probability * kValues), kValues - 1);
  const std::int64_t least_kept = std::numeric_limits<std::int16_t>::min() + dropped;
  const at::Tensor kept = random_bits(input).ge(least_kept).to(input.scalar_type());
  return input * kept.mul_(static_cast<double>(kValues) / static_cast<double>(kValues - dropped));
}

Results SingleLossModel::train_step(const Batch& batch, Step& step) {
  Results results;
  const at::Tensor loss = step.minimise(0, [&] {
    results = compute(batch);
    return results.front();
  });
  results.front() = loss;
  for (at::Tensor& result : results) {
    if (result.requires_grad()) result = result.detach();
  }
  return results;
}

std::shared_ptr<Model> make_classifier(nn::Sequential network, ParameterGroup training) {
  return std::make_shared<Classifier>(std::move(network), std::move(training));
}

void require_divisor(const ModelSizes& sizes, const std::string& divisor, const std::string& whole) {
  require(sizes.at(whole) % sizes.at(divisor) == 0, "--model-arg {}={}: does not divide {}={}; use a divisor",
          divisor, sizes.at(divisor), whole, sizes.at(whole));
}

}  // namespace gpubench
