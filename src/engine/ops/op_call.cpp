#include "engine/ops/op_call.h"

#include <algorithm>
#include <exception>
#include <map>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/autograd/autograd.h>

#include "engine/torch/failure.h"
#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

/// Normal numbers would all be near 0 as whole ones.
constexpr double kWholeSpread = 8;

at::Tensor typed(const at::Tensor& values, OpType type, c10::Device device) {
  if (!values.is_floating_point()) return values.to(device);
  const at::Tensor spread = is_whole(type) ? (values * kWholeSpread).round() : values;
  return spread.to(format_of(type).type).to(device);  // In this order, since MPS has no fp64.
}

Tensors typed(const Tensors& values, OpType type, c10::Device device) {
  return mapped(values, [&](const at::Tensor& value) { return typed(value, type, device); });
}

/// Of a result where no memory is; nothing where that cannot be told.
Tensors result_outline(const OpEntry& entry, const OpRequest& request, const Tensors& inputs) {
  try {
    const at::NoGradGuard guard;
    return {entry.call(inputs, request.sizes)};
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

std::int64_t bytes_of(const Tensors& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

NumberFormat format_of(OpType type) {
  static const std::map<OpType, NumberFormat> formats = {
      {OpType::kFp32, {at::kFloat, 0x1p-24}},   {OpType::kFp16, {at::kHalf, 0x1p-11}},
      {OpType::kBf16, {at::kBFloat16, 0x1p-8}}, {OpType::kFp64, {at::kDouble, 0x1p-53}},
      {OpType::kInt32, {at::kInt, 0}},          {OpType::kInt64, {at::kLong, 0}}};
  return formats.at(type);
}

Tensors row_inputs(const OpEntry& entry, const OpRequest& request, const std::string& device) {
  const at::Generator random = at::detail::createCPUGenerator(request.seed);
  return typed(entry.inputs(request.sizes, random), request.type, c10::Device(device));
}

at::Tensor row_gradient(const at::Tensor& result, std::uint64_t seed) {
  const at::Generator random = at::detail::createCPUGenerator(seed + 1);
  const at::Tensor values = at::randn(result.sizes(), random, at::TensorOptions(at::kDouble));
  return values.to(result.scalar_type()).to(result.device());
}

Tensors in_fp64(const OpEntry& entry, const OpRequest& request, const Tensors& inputs) {
  const Tensors kinds = entry.inputs(request.sizes, std::nullopt);
  Tensors result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    result.push_back(inputs[i].detach().to(at::kCPU).to(kinds[i].scalar_type()));
  }
  return result;
}

RowMemory row_memory(const OpEntry& entry, const OpRequest& request, bool is_on_cpu) {
  const Tensors wide = entry.inputs(request.sizes, std::nullopt);
  const Tensors inputs = typed(wide, request.type, at::kMeta);
  const Tensors result = result_outline(entry, request, inputs);
  const std::int64_t wide_result =
      result.empty() ? 0 : result.front().numel() * static_cast<std::int64_t>(sizeof(double));
  // Gradients are as large as what they belong to.
  const int copies = request.direction == OpDirection::kForward ? 1 : 2;
  const std::int64_t row = copies * (bytes_of(inputs) + bytes_of(result));
  const std::int64_t check = copies * (bytes_of(wide) + wide_result);
  const std::int64_t transfer = std::max(bytes_of(inputs), bytes_of(result));
  return is_on_cpu ? RowMemory{row + check, 0} : RowMemory{check + transfer, row};
}

OpCall::OpCall(const OpEntry& entry, OpCase sizes, Tensors inputs)
    : entry_(entry), sizes_(std::move(sizes)), inputs_(std::move(inputs)) {}

void OpCall::want_gradients(at::Tensor output) {
  for (at::Tensor& input : inputs_) {
    if (input.is_floating_point()) differentiated_.push_back(input.requires_grad_());
  }
  if (differentiated_.empty() || !output.is_floating_point()) {
    throw Unsupported(entry_.name + " has no gradient for whole numbers");
  }
  output_gradient_ = std::move(output);
}

void OpCall::make() {
  outputs_.clear();
  const at::AutoGradMode mode(output_gradient_.defined());
  at::Tensor result = entry_.call(inputs_, sizes_);
  if (output_gradient_.defined()) {
    outputs_ = torch::autograd::grad({result}, differentiated_, {output_gradient_});
  }
  outputs_.insert(outputs_.begin(), result.detach());
}

}  // namespace gpubench
