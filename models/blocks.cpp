#include "blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>

#include "gpubench/core/error.h"

namespace gpubench {

namespace {

/// Returns whether MKL uses half-width kernels on this processor.
bool has_narrow_mkl() {
#if defined(__x86_64__)
  return at::hasMKL() && __builtin_cpu_supports("avx512f") && !__builtin_cpu_is("intel");
#else
  return false;
#endif
}

/// Returns whether the processor executes AVX-512 in halves.
bool has_half_units() {
#if defined(__x86_64__)
  return __builtin_cpu_is("amdfam19h");
#else
  return false;
#endif
}

/// Returns oneDNN's product, which has no gradient; nothing if it is missing or MKL runs at full width.
const std::optional<c10::OperatorHandle>& onednn_product() {
  static const auto found = has_narrow_mkl() && at::hasMKLDNN()
                                ? c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""})
                                : std::nullopt;
  return found;
}

/// Returns whether oneDNN computes the product. Autocast must be off, since it would change the type.
bool is_for_onednn(const at::Tensor& input, const at::Tensor& weight) {
  return onednn_product() && input.numel() > 0 && input.is_cpu() && input.scalar_type() == at::kFloat &&
         weight.scalar_type() == at::kFloat && !at::autocast::is_autocast_enabled(at::kCPU) &&
         at::globalContext().userEnabledMkldnn();
}

/// Multiplies `a` [n, k] by the transposed `b` [m, k]. Calls boxed, since the C++ signature varies by
/// version.
at::Tensor multiply(const at::Tensor& a, const at::Tensor& b, const std::optional<at::Tensor>& bias) {
  torch::jit::Stack stack{a, b, bias, "none", c10::List<std::optional<at::Scalar>>(), ""};
  onednn_product()->callBoxed(stack);
  return stack.front().toTensor();
}

/// Returns the matrix with contiguous rows or columns; otherwise oneDNN uses its reference kernel.
at::Tensor as_dense(const at::Tensor& matrix) {
  return matrix.t().is_contiguous() ? matrix : matrix.contiguous();
}

/// Matrix product with contiguous rows: for others oneDNN uses its reference kernel, a thousand times slower.
class Product : public torch::autograd::Function<Product> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& input,
                            const at::Tensor& weight, const at::Tensor& bias) {
    const at::Tensor rows = input.contiguous();
    context->save_for_backward({rows, weight});
    return multiply(rows, weight.contiguous(), bias);
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor gradient = gradients.front().contiguous();
    torch::autograd::tensor_list made(3);
    if (context->needs_input_grad(0)) made[0] = multiply(gradient, saved[1].contiguous().t(), std::nullopt);
    if (context->needs_input_grad(1)) made[1] = transposed_product(gradient, saved[0]);
    if (context->needs_input_grad(2)) made[2] = gradient.sum(0);
    return made;
  }
};

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

bool has_fast_mkl() { return at::hasMKL() && (!has_narrow_mkl() || has_half_units()); }

at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) {
  if (!is_for_onednn(input, weight)) return at::linear(input, weight, bias);
  auto shape = input.sizes().vec();
  shape.back() = weight.size(0);
  const at::Tensor rows = input.reshape({-1, input.size(-1)});
  if (at::GradMode::is_enabled()) return Product::apply(rows, weight, bias).view(shape);
  const std::optional<at::Tensor> offset = bias.defined() ? std::optional(bias) : std::nullopt;
  return multiply(as_dense(rows), as_dense(weight), offset).view(shape);
}

at::Tensor transposed_product(const at::Tensor& a, const at::Tensor& b) {
  if (!is_for_onednn(a, b)) return at::mm(a.t(), b);
  // oneDNN copies a transposed first factor, which is worth its time if that is the smaller one.
  constexpr std::int64_t kWide = 8192;
  if (a.size(1) < b.size(1)) return multiply(a.t(), b.t(), std::nullopt);
  return a.size(1) >= kWide ? multiply(b.t(), a.t(), std::nullopt).t() : at::mm(a.t(), b);
}

at::Tensor ConvolutionImpl::forward(const at::Tensor& input) {
  const bool is_product = weight.size(2) * weight.size(3) == 1 && input.is_cpu() &&
                          input.is_contiguous(at::MemoryFormat::ChannelsLast);
  if (!is_product) return Conv2dImpl::forward(input);
  // Moves channels last here, so that gradients have the same layout.
  at::Tensor pixels = input.permute({0, 2, 3, 1});
  const std::int64_t stride = options.stride()->at(0);
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
