#include "products.h"

#include <optional>

#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>

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

}  // namespace

bool has_fast_mkl() {
#if defined(__x86_64__)
  if (__builtin_cpu_is("amdfam19h")) return at::hasMKL();  // Executes AVX-512 in halves.
#endif
  return at::hasMKL() && !has_narrow_mkl();
}

bool has_fast_bf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

at::Tensor to_operand(const at::Tensor& tensor) {
  if (!tensor.is_cpu() || !at::autocast::is_autocast_enabled(at::kCPU)) return tensor;
  return at::autocast::cached_cast(at::autocast::get_autocast_dtype(at::kCPU), tensor, at::kCPU);
}

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

}  // namespace gpubench
