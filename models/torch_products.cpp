#include "torch_products.h"

#include <optional>

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/linear.h>
#include <torch/csrc/autograd/custom_function.h>

namespace gpubench {
namespace {

/// A processor for which MKL takes kernels of half its width.
bool is_slighted_by_mkl() {
#if defined(__x86_64__)
  return at::hasMKL() && __builtin_cpu_supports("avx512f") && !__builtin_cpu_is("intel");
#else
  return false;
#endif
}

/// LibTorch's product by oneDNN for plain tensors, which has no gradient of its own; nothing where that is
/// better left alone.
const std::optional<c10::OperatorHandle>& onednn_product() {
  static const auto found = is_slighted_by_mkl() && at::hasMKLDNN()
                                ? c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""})
                                : std::nullopt;
  return found;
}

/// Whether the product is one of fp32 on the CPU: autocast makes another of it. oneDNN refuses an empty one.
bool is_for_onednn(const at::Tensor& input, const at::Tensor& weight) {
  return onednn_product() && input.numel() > 0 && input.is_cpu() && input.scalar_type() == at::kFloat &&
         weight.scalar_type() == at::kFloat && !at::autocast::is_autocast_enabled(at::kCPU) &&
         at::globalContext().userEnabledMkldnn();
}

/// `a` [n, k] times the transposed `b` [m, k]. By name and not by type: that differs from version to version.
at::Tensor multiply(const at::Tensor& a, const at::Tensor& b, const std::optional<at::Tensor>& bias) {
  torch::jit::Stack stack{a, b, bias, "none", c10::List<std::optional<at::Scalar>>(), ""};
  onednn_product()->callBoxed(stack);
  return stack.front().toTensor();
}

/// Of matrices. Rows that lie apart oneDNN would multiply by its reference kernel, a thousand times as slow.
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
    if (context->needs_input_grad(1)) made[1] = multiply(gradient.t(), saved[0].t(), std::nullopt);
    if (context->needs_input_grad(2)) made[2] = gradient.sum(0);
    return made;
  }
};

}  // namespace

at::Tensor linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) {
  if (!is_for_onednn(input, weight)) return at::linear(input, weight, bias);
  auto shape = input.sizes().vec();
  shape.back() = weight.size(0);
  return Product::apply(input.reshape({-1, input.size(-1)}), weight, bias).view(shape);
}

at::Tensor ConvolutionImpl::forward(const at::Tensor& input) {
  const bool is_product = weight.size(2) * weight.size(3) == 1 && input.is_cpu() &&
                          input.is_contiguous(at::MemoryFormat::ChannelsLast);
  if (!is_product) return Conv2dImpl::forward(input);
  // Channels are last from here on, so that gradients are so too.
  at::Tensor pixels = input.permute({0, 2, 3, 1});
  const std::int64_t stride = options.stride()->at(0);
  if (stride > 1) pixels = pixels.slice(1, 0, std::nullopt, stride).slice(2, 0, std::nullopt, stride);
  const at::Tensor rows = pixels.reshape({-1, pixels.size(3)});
  const at::Tensor made = linear(rows, weight.flatten(1), bias);
  return made.view({pixels.size(0), pixels.size(1), pixels.size(2), -1}).permute({0, 3, 1, 2});
}

}  // namespace gpubench
