#include "workloads/op/op_run.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "device/host/host.h"
#include "engine/torch/failure.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

struct NumberFormat {
  at::ScalarType type;
  double unit_roundoff;  ///< Half the distance from 1 to the next number; 0 for whole numbers.
};

NumberFormat find_format(OpType type) {
  static const std::map<OpType, NumberFormat> formats = {
      {OpType::kFp32, {at::kFloat, 0x1p-24}},   {OpType::kFp16, {at::kHalf, 0x1p-11}},
      {OpType::kBf16, {at::kBFloat16, 0x1p-8}}, {OpType::kFp64, {at::kDouble, 0x1p-53}},
      {OpType::kInt32, {at::kInt, 0}},          {OpType::kInt64, {at::kLong, 0}}};
  return formats.at(type);
}

Tensors typed(const Tensors& tensors, OpType type, c10::Device device) {
  constexpr double kWholeSpread = 8;  // Normal numbers would all be near 0 as whole ones.
  return mapped(tensors, [&](const at::Tensor& values) {
    if (!values.is_floating_point()) return values.to(device);
    const at::Tensor spread = is_whole(type) ? (values * kWholeSpread).round() : values;
    return spread.to(find_format(type).type).to(device);  // In this order, since MPS has no fp64.
  });
}

std::int64_t count_bytes(const Tensors& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

void require(const std::string& whose, const Measured<Bytes>& needed, const Measured<Bytes>& available) {
  if (!needed.has_value() || !available.has_value() || needed.value() <= available.value()) return;
  throw RowEnd(RowStatus::kSkipped,
               fmt::format("needs {} of {} memory, {} are free", byte_text(needed.value()), whose,
                           byte_text(available.value())));
}

/// Copies. In two steps, since MPS has no fp64 on its side.
at::Tensor in_host_fp64(const at::Tensor& tensor) {
  return tensor.to(at::kCPU).to(at::kDouble, /*non_blocking=*/false, /*copy=*/true);
}

at::Tensor make_gradient(const at::Tensor& result, std::uint64_t seed) {
  const at::Generator random = at::detail::createCPUGenerator(seed + 1);
  const at::Tensor values = at::randn(result.sizes(), random, at::TensorOptions(at::kDouble));
  return values.to(result.scalar_type()).to(result.device());
}

struct Deviation {
  double error = 0;
  double tolerance = 0;

  bool is_worse_than(const Deviation& other) const {
    return error * other.tolerance > other.error * tolerance || (tolerance == 0 && error > 0);
  }
};

/// Returns the largest error of a right result, relative to the largest value; see docs/operations.md.
double find_tolerance(OpType type, double terms, bool sums_in_own_type) {
  constexpr double kMost = 0.1;  // A larger error is not due to rounding.
  if (is_whole(type)) return 0;
  const double own = find_format(type).unit_roundoff;
  const double sums = sums_in_own_type ? own : std::min(own, find_format(OpType::kFp32).unit_roundoff);
  return std::min(kMost, 4 * own + 4 * sums * (4 + std::sqrt(terms)));
}

/// Returns whether the sampled elements of two calls are equal within rounding.
bool agree(const Tensors& sampled, const Tensors& others, double tolerance) {
  // Two results may be off to different sides.
  return std::ranges::equal(sampled, others, [&](const at::Tensor& one, const at::Tensor& other) {
    return distance(one, other) <= 2 * tolerance;
  });
}

/// Marks the inputs that are not of whole numbers for gradients, and returns them.
Tensors differentiable(const Tensors& inputs) {
  Tensors found;
  for (const at::Tensor& input : inputs) {
    if (input.is_floating_point()) found.push_back(input.requires_grad_());
  }
  return found;
}

/// Returns the result of a call and, if `gradient` (the result's) is defined, those of `differentiated`
/// inputs.
Tensors call_op(const OpEntry& entry, const OpCase& sizes, const Tensors& inputs,
                const Tensors& differentiated = {}, const at::Tensor& gradient = {}) {
  const at::AutoGradMode mode(gradient.defined());
  const at::Tensor result = entry.call(inputs, sizes);
  Tensors outputs;
  if (gradient.defined()) outputs = torch::autograd::grad({result}, differentiated, {gradient});
  outputs.insert(outputs.begin(), result.detach());
  return outputs;
}

}  // namespace

bool is_whole(OpType type) { return find_format(type).unit_roundoff == 0; }

OpCall::OpCall(const OpEntry& entry, const OpPoint& asked, const OpCase& sizes, Device& device,
               OpRecord& record)
    : entry_(entry), asked_(asked), sizes_(sizes), device_(device), record_(record) {
  require_memory();
  const at::Generator random = at::detail::createCPUGenerator(static_cast<std::uint64_t>(asked.seed));
  inputs_ = typed(entry.inputs(sizes, random), asked.type, c10::Device(device.name()));
}

void OpCall::require_memory() {
  const Tensors wide = entry_.inputs(sizes_, std::nullopt);
  const Tensors inputs = typed(wide, asked_.type, at::kMeta);
  Tensors result;
  try {
    result = call_op(entry_, sizes_, inputs);
  } catch (const std::exception&) {
    // Some operations cannot be called without memory.
  }
  const std::int64_t wide_result =
      result.empty() ? 0 : result.front().numel() * static_cast<std::int64_t>(sizeof(double));
  // Gradients are as large as what they belong to.
  const int copies = asked_.direction == OpDirection::kForward ? 1 : 2;
  const std::int64_t call = copies * (count_bytes(inputs) + count_bytes(result));
  const std::int64_t check = copies * (count_bytes(wide) + wide_result);
  const std::int64_t transfer = std::max(count_bytes(inputs), count_bytes(result));
  const bool is_on_cpu = device_.name() == "cpu";
  record_.needed_host = Bytes{check + (is_on_cpu ? call : transfer)};
  record_.needed_device =
      is_on_cpu ? Measured<Bytes>(missing("the row is on the host")) : Measured<Bytes>(Bytes{call});
  require("host", record_.needed_host, available_memory());
  require("device", record_.needed_device, device_.free_memory());
}

void OpCall::make() {
  outputs_.clear();
  outputs_ = call_op(entry_, sizes_, inputs_, differentiated_, output_gradient_);
}

void OpCall::check() {
  make();
  std::int64_t traffic = count_bytes(inputs_);
  if (asked_.direction == OpDirection::kForwardBackward) {
    // Gradients read the inputs a second time, and the gradient of the result too.
    traffic += traffic + count_bytes({outputs_.front()});
    differentiated_ = differentiable(inputs_);
    if (differentiated_.empty() || !outputs_.front().is_floating_point())
      throw Unsupported(entry_.name + " has no gradient for whole numbers");
    output_gradient_ = make_gradient(outputs_.front(), asked_.seed);
    make();
  }
  device_.synchronize();
  check_place();
  right_ = sample();
  record_.traffic = Bytes{traffic + count_bytes(outputs_)};
  check_outputs();
  if (agree(right_, sample(), 0)) return;
  throw RowEnd(RowStatus::kIncorrect, "the result still changed after the device had said that it was done");
}

void OpCall::check_place() const {
  const c10::Device wanted(device_.name());
  for (const at::Tensor& output : outputs_) {
    const c10::Device found = output.device();
    const bool is_there =
        found.type() == wanted.type() && (!wanted.has_index() || found.index() == wanted.index());
    if (!is_there) throw RowEnd(RowStatus::kCpuFallback, "the result is on " + found.str());
  }
}

void OpCall::check_outputs() {
  // The call's inputs in fp64 in host memory; indices stay int64.
  Tensors wide = entry_.inputs(sizes_, std::nullopt);
  for (std::size_t i = 0; i < wide.size(); ++i)
    wide[i] = inputs_[i].detach().to(at::kCPU).to(wide[i].scalar_type());
  const at::Tensor result = outputs_.front().to(at::kCPU);
  // Functions such as a sigmoid make fp32 of whole numbers.
  const bool becomes_fp32 = is_whole(asked_.type) && result.is_floating_point();
  const double terms = entry_.terms(sizes_);
  Deviation worst{
      entry_.error(wide, result, sizes_),
      find_tolerance(becomes_fp32 ? OpType::kFp32 : asked_.type, terms, entry_.sums == Sums::kInOwnType)};
  const Tensors expected = fp64_gradients(wide);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    // Each term of the result goes into one value of the gradient.
    const double own_terms =
        std::max(1.0, static_cast<double>(result.numel()) * terms / static_cast<double>(expected[i].numel()));
    const Deviation found{distance(expected[i], in_host_fp64(outputs_[i + 1])),
                          find_tolerance(asked_.type, own_terms, /*sums_in_own_type=*/true)};
    if (found.is_worse_than(worst)) worst = found;
  }
  record_.error = worst.error;
  record_.tolerance = worst.tolerance;
  if (worst.error <= worst.tolerance) return;
  throw RowEnd(RowStatus::kIncorrect,
               fmt::format("differs from fp64 by {:.2g} of the largest value; {:.2g} are allowed",
                           worst.error, worst.tolerance));
}

Tensors OpCall::fp64_gradients(const Tensors& wide_inputs) const {
  if (!output_gradient_.defined()) return {};
  Tensors outputs =
      call_op(entry_, sizes_, wide_inputs, differentiable(wide_inputs), in_host_fp64(output_gradient_));
  outputs.erase(outputs.begin());
  return outputs;
}

/// Returns some values of each result, to compare calls. Waits for the device. Needs little memory.
Tensors OpCall::sample() const {
  constexpr std::int64_t kElements = 4096;
  return mapped(outputs_, [](const at::Tensor& output) {
    // In any order, without a copy of dense tensors.
    const at::Tensor flat =
        output.is_non_overlapping_and_dense() ? output.as_strided({output.numel()}, {1}) : output.reshape(-1);
    const std::int64_t step = std::max<std::int64_t>(1, output.numel() / kElements);
    return in_host_fp64(flat.slice(0, 0, output.numel(), step));
  });
}

void OpCall::check_again() {
  // An operation with several right results may return another one than before.
  if (!agree(right_, sample(), record_.tolerance.value())) check_outputs();
}

}  // namespace gpubench
