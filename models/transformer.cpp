#include "transformer.h"

#include <algorithm>

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>

namespace gpubench {
namespace {

/// Number of logits that are normalized together: on a CPU, so that they stay in its caches; elsewhere, so
/// that their probabilities need little memory, and a kernel still takes longer than its launch.
constexpr std::int64_t kCachedLogits = 1 << 20;
constexpr std::int64_t kLogitsAtOnce = 1 << 24;

/// Returns the summed cross-entropy in float32. If `needs_gradient`, replaces the logits by its gradient:
/// their probabilities, minus 1 at the target.
at::Tensor sum_losses(const at::Tensor& logits, const at::Tensor& targets, bool needs_gradient) {
  const std::int64_t rows = logits.size(0);
  const std::int64_t at_once =
      std::clamp<std::int64_t>((logits.is_cpu() ? kCachedLogits : kLogitsAtOnce) / logits.size(1), 1, rows);
  at::Tensor total = at::zeros({}, logits.options().dtype(at::kFloat));
  for (std::int64_t begin = 0; begin < rows; begin += at_once) {
    const std::int64_t count = std::min(at_once, rows - begin);
    at::Tensor part = logits.narrow(0, begin, count);
    const at::Tensor target = targets.narrow(0, begin, count).unsqueeze(1);
    at::Tensor values = part.log_softmax(1, at::kFloat);
    total.sub_(values.gather(1, target).sum());
    if (!needs_gradient) continue;
    values.exp_().scatter_add_(1, target, values.new_full({1, 1}, -1).expand_as(target));
    part.copy_(values);
  }
  return total;
}

class LinearCrossEntropy : public torch::autograd::Function<LinearCrossEntropy> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& rows,
                            const at::Tensor& weight, const at::Tensor& targets) {
    const at::Tensor logits = gpubench::linear(rows, weight, at::Tensor());
    const at::Tensor total = sum_losses(logits, targets, /*needs_gradient=*/true);
    context->save_for_backward({logits, rows, weight});
    return total;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& gradients) {
    const auto saved = context->get_saved_variables();
    const at::Tensor& slopes = saved[0];
    // Scaled here and not by the row, since a factor on all logits would cost a pass over them.
    const auto scaled = [&](const at::Tensor& product, const at::Tensor& like) {
      return product.to(like.scalar_type()).mul_(gradients.front());
    };
    const at::Tensor weight = saved[2].to(slopes.scalar_type());
    const at::Tensor rows = saved[1].to(slopes.scalar_type());
    return {scaled(gpubench::linear(slopes, weight.t(), at::Tensor()), saved[1]),
            scaled(transposed_product(slopes, rows), saved[2]), at::Tensor()};
  }
};

/// Computes attention. For short sequences on a CPU, LibTorch's kernels for two-byte types take several times
/// as long as those for fp32. The meta device, which estimates memory, follows the CPU.
at::Tensor attention(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                     bool is_causal) {
  constexpr std::int64_t kShort = 128;
  const auto compute = [&](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return at::scaled_dot_product_attention(q, k, v, /*attn_mask=*/{}, /*dropout_p=*/0, is_causal);
  };
  const bool is_slow = (queries.is_cpu() || queries.is_meta()) && queries.scalar_type() != at::kFloat &&
                       queries.size(2) <= kShort;
  if (!is_slow) return compute(queries, keys, values);
  const c10::impl::ExcludeDispatchKeyGuard without_autocast(c10::DispatchKey::AutocastCPU);
  return compute(queries.to(at::kFloat), keys.to(at::kFloat), values.to(at::kFloat))
      .to(queries.scalar_type());
}

}  // namespace

TransformerBlockImpl::TransformerBlockImpl(const TransformerSizes& sizes)
    : sizes_(sizes),
      attention_norm_(register_module("attention_norm",
                                      nn::LayerNorm(nn::LayerNormOptions({sizes.width}).eps(sizes.epsilon)))),
      attention_in_(register_module("attention_in", Dense(sizes.width, 3 * sizes.width))),
      attention_out_(register_module("attention_out", Dense(sizes.width, sizes.width))),
      dense_norm_(register_module("dense_norm",
                                  nn::LayerNorm(nn::LayerNormOptions({sizes.width}).eps(sizes.epsilon)))),
      expansion_(register_module("expansion", Dense(sizes.width, sizes.hidden))),
      contraction_(register_module("contraction", Dense(sizes.hidden, sizes.width))) {}

at::Tensor TransformerBlockImpl::attend(const at::Tensor& x) {
  // To queries, keys and values: samples, heads, positions, width of a head.
  const at::Tensor projected =
      attention_in_->forward(x).unflatten(2, {3, sizes_.heads, x.size(2) / sizes_.heads});
  const std::vector<at::Tensor> parts = projected.permute({2, 0, 3, 1, 4}).unbind();
  const at::Tensor attended = attention(parts[0], parts[1], parts[2], sizes_.is_causal);
  return attention_out_->forward(attended.transpose(1, 2).reshape(x.sizes()));
}

at::Tensor TransformerBlockImpl::forward(const at::Tensor& x) {
  // Not in place: the products are views, whose gradients LibTorch would copy.
  const at::Tensor attended = x + attend(attention_norm_->forward(x));
  const at::Tensor expanded = expansion_->forward(dense_norm_->forward(attended));
  return attended + contraction_->forward(at::gelu(expanded, sizes_.is_gelu_exact ? "none" : "tanh"));
}

void TransformerBlockImpl::initialize(const std::function<void(const at::Tensor&, bool)>& draw) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& weight : attention_in_->weight.chunk(3)) draw(weight, false);
  draw(attention_out_->weight, true);
  draw(expansion_->weight, false);
  draw(contraction_->weight, true);
  for (Dense* layer : {&attention_in_, &attention_out_, &expansion_, &contraction_}) (*layer)->bias.zero_();
}

at::Tensor linear_cross_entropy(const at::Tensor& rows, const at::Tensor& weight, const at::Tensor& targets) {
  if (!at::GradMode::is_enabled())
    return sum_losses(gpubench::linear(rows, weight, at::Tensor()), targets, /*needs_gradient=*/false);
  return LinearCrossEntropy::apply(rows, weight, targets);
}

}  // namespace gpubench
