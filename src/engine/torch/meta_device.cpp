#include "engine/torch/meta_device.h"

#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/native/ConvUtils.h>
#include <torch/library.h>

namespace gpubench {
namespace {

using at::Tensor;
using Three = std::tuple<Tensor, Tensor, Tensor>;
using OptionalTensor = std::optional<Tensor>;
using Mask = std::array<bool, 3>;

Tensor like(const Tensor& tensor) { return at::empty_like(tensor); }

Tensor like(const OptionalTensor& tensor) { return tensor && tensor->defined() ? like(*tensor) : Tensor(); }

Tensor convolution(const Tensor& input, const Tensor& weight, const OptionalTensor&, at::IntArrayRef stride,
                   at::IntArrayRef padding, at::IntArrayRef dilation, bool is_transposed,
                   at::IntArrayRef output_padding, std::int64_t groups) {
  // A single value applies to all dimensions.
  const auto expand = [&](at::IntArrayRef values) {
    const auto count = static_cast<std::size_t>(input.dim() - 2);
    return values.size() == count ? values.vec() : std::vector<std::int64_t>(count, values.front());
  };
  const auto strides = expand(stride);
  const auto pads = expand(padding);
  const auto dilations = expand(dilation);
  return input.new_empty(
      is_transposed ? at::native::conv_input_size(input.sizes(), weight.sizes(), pads, expand(output_padding),
                                                  strides, dilations, groups)
                    : at::native::conv_output_size(input.sizes(), weight.sizes(), pads, strides, dilations));
}

Three convolution_backward(const Tensor&, const Tensor& input, const Tensor& weight,
                           at::OptionalIntArrayRef bias_sizes, at::IntArrayRef, at::IntArrayRef,
                           at::IntArrayRef, bool, at::IntArrayRef, std::int64_t, Mask mask) {
  return {mask[0] ? like(input) : Tensor(), mask[1] ? like(weight) : Tensor(),
          mask[2] ? weight.new_empty(*bias_sizes) : Tensor()};
}

Three batch_norm(const Tensor& input, const OptionalTensor&, const OptionalTensor&, const OptionalTensor&,
                 const OptionalTensor&, bool, double, double) {
  const auto statistics = [&] { return input.new_empty({input.size(1)}, at::kFloat); };
  return {like(input), statistics(), statistics()};
}

Three batch_norm_backward(const Tensor&, const Tensor& input, const OptionalTensor& weight,
                          const OptionalTensor&, const OptionalTensor&, const OptionalTensor&,
                          const OptionalTensor&, bool, double, Mask mask) {
  return {mask[0] ? like(input) : Tensor(), mask[1] ? like(weight) : Tensor(),
          mask[2] ? like(weight) : Tensor()};
}

Three layer_norm(const Tensor& input, at::IntArrayRef shape, const OptionalTensor&, const OptionalTensor&,
                 double) {
  std::vector<std::int64_t> rows = input.sizes().vec();
  std::fill(rows.end() - std::ssize(shape), rows.end(), 1);
  return {like(input), input.new_empty(rows, at::kFloat), input.new_empty(rows, at::kFloat)};
}

Three layer_norm_backward(const Tensor&, const Tensor& input, at::IntArrayRef, const Tensor&, const Tensor&,
                          const OptionalTensor& weight, const OptionalTensor& bias, Mask mask) {
  return {mask[0] ? like(input) : Tensor(), mask[1] ? like(weight) : Tensor(),
          mask[2] ? like(bias) : Tensor()};
}

Tensor index_select(const Tensor& source, std::int64_t dimension, const Tensor& indices) {
  std::vector<std::int64_t> shape = source.sizes().vec();
  shape.at(static_cast<std::size_t>(at::maybe_wrap_dim(dimension, source.dim()))) = indices.numel();
  return source.new_empty(shape);
}

Tensor embedding_backward(const Tensor& gradient, const Tensor&, std::int64_t rows, std::int64_t, bool) {
  return gradient.new_empty({rows, gradient.size(-1)});
}

std::tuple<Tensor, Tensor> log_sigmoid(const Tensor& input) { return {like(input), like(input)}; }

Tensor log_sigmoid_backward(const Tensor&, const Tensor& input, const Tensor&) { return like(input); }

/// Attention on all devices that matter needs memory for a row of scores, not for all of them.
Tensor attention(const Tensor& queries, const Tensor& keys, const Tensor& values, const OptionalTensor& mask,
                 double dropout, bool is_causal, std::optional<double> scale, bool) {
  return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(queries, keys, values, dropout,
                                                                     is_causal, mask, scale));
}

std::tuple<Tensor, Tensor> flash_attention(const Tensor& queries, const Tensor&, const Tensor& values, double,
                                           bool, const OptionalTensor&, std::optional<double>) {
  std::vector<std::int64_t> shape = queries.sizes().vec();
  shape.pop_back();
  Tensor sums = queries.new_empty(shape, at::kFloat);
  // Samples, positions, heads: so that the model's transposition needs no copy.
  std::swap(shape[1], shape[2]);
  shape.push_back(values.size(-1));
  return {queries.new_empty(shape).transpose(1, 2), sums};
}

Three flash_attention_backward(const Tensor&, const Tensor& queries, const Tensor& keys, const Tensor& values,
                               const Tensor&, const Tensor&, double, bool, const OptionalTensor&,
                               std::optional<double>) {
  return {like(queries), like(keys), like(values)};
}

/// Changes inputs in place, or nothing.
void do_nothing(const c10::OperatorHandle& operation, c10::DispatchKeySet, torch::jit::Stack* stack) {
  const auto& schema = operation.schema();
  const at::IValue first = torch::jit::peek(*stack, 0, schema.arguments().size());
  torch::jit::drop(*stack, schema.arguments().size());
  if (!schema.returns().empty()) stack->push_back(first);
}

Tensor empty(at::IntArrayRef shape, std::optional<at::ScalarType> type, std::optional<at::Layout> layout,
             std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  const c10::impl::ExcludeDispatchKeyGuard off(MetaScope::kKey);
  return at::empty(shape, type, layout, at::kMeta, /*pin_memory=*/std::nullopt, format);
}

/// Calls the operation with floating-point inputs of `type`.
template <at::ScalarType type>
void cast_inputs(const c10::OperatorHandle& operation, c10::DispatchKeySet, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard off(MetaScope::kKey);
  const std::size_t count = operation.schema().arguments().size();
  for (auto value = stack->end() - static_cast<std::ptrdiff_t>(count); value != stack->end(); ++value) {
    const bool is_cast = value->isTensor() && value->toTensor().defined() &&
                         value->toTensor().is_floating_point() && value->toTensor().scalar_type() != type;
    if (is_cast) *value = value->toTensor().to(type);
  }
  operation.callBoxed(stack);
}

void add_kernels(torch::Library& library) {
  library.impl("convolution", convolution);
  library.impl("convolution_backward", convolution_backward);
  library.impl("native_batch_norm", batch_norm);
  library.impl("native_batch_norm_backward", batch_norm_backward);
  library.impl("native_layer_norm", layer_norm);
  library.impl("native_layer_norm_backward", layer_norm_backward);
  library.impl("index_select", index_select);
  library.impl("embedding_dense_backward", embedding_backward);
  library.impl("log_sigmoid_forward", log_sigmoid);
  library.impl("log_sigmoid_backward", log_sigmoid_backward);
  library.impl("_scaled_dot_product_flash_attention_for_cpu", flash_attention);
  library.impl("_scaled_dot_product_flash_attention_for_cpu_backward", flash_attention_backward);
  for (const char* name :
       {"_fused_adam_", "_fused_adam_.tensor_lr", "_fused_adamw_", "_fused_adamw_.tensor_lr", "_fused_sgd_",
        "_fused_sgd_.tensor_lr", "_amp_foreach_non_finite_check_and_unscale_", "_amp_update_scale_"})
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<do_nothing>());
}

#define GPUBENCH_CAST(TYPE, NAME, ...)             \
  library.impl(#NAME __VA_OPT__("." #__VA_ARGS__), \
               torch::CppFunction::makeFromBoxedFunction<cast_inputs<TYPE>>());
#define GPUBENCH_CAST_DOWN(...) GPUBENCH_CAST(at::kBFloat16, __VA_ARGS__)
#define GPUBENCH_CAST_UP(...) GPUBENCH_CAST(at::kFloat, __VA_ARGS__)

void add_casts(torch::Library& library) {
  library.impl("empty.memory_format", empty);
  AT_FORALL_LOWER_PRECISION_FP(GPUBENCH_CAST_DOWN)
  AT_FORALL_FP32(GPUBENCH_CAST_UP)
}

void complete_meta_device() {
  const auto extend = [](c10::DispatchKey key, const char* operations = "aten") {
    return torch::Library(torch::Library::IMPL, operations, key, __FILE__, __LINE__);
  };
  static torch::Library kernels = extend(c10::DispatchKey::Meta);
  static torch::Library gradients = extend(c10::DispatchKey::AutogradMeta);
  static torch::Library casts = extend(MetaScope::kKey);
  static torch::Library others = extend(MetaScope::kKey, "_");
  add_kernels(kernels);
  kernels.impl("scaled_dot_product_attention", attention);
  gradients.impl("scaled_dot_product_attention", attention);
  add_casts(casts);
  others.fallback(torch::CppFunction::makeFallthrough());
}

}  // namespace

MetaScope::MetaScope() {
  static std::once_flag completed;
  std::call_once(completed, complete_meta_device);
  // LibTorch excludes all keys of autocast by default.
  c10::impl::tls_set_dispatch_key_excluded(kKey, false);
}

MetaScope::~MetaScope() { c10::impl::tls_set_dispatch_key_excluded(kKey, true); }

}  // namespace gpubench
