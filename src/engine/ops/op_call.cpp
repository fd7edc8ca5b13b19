#include "engine/ops/op_call.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <string>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/randn.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "engine/torch/failure.h"
#include "gpubench/core/collect.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

/// Normal numbers would all be near 0 as whole ones.
constexpr double kWholeSpread = 8;

at::Tensor typed(const at::Tensor& values, OpType type, c10::Device device) {
  if (!values.is_floating_point()) return values.to(device);
  const at::Tensor spread = is_whole(type) ? (values * kWholeSpread).round() : values;
  return spread.to(find_format(type).type).to(device);  // In this order, since MPS has no fp64.
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

std::int64_t count_bytes(const Tensors& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

NumberFormat find_format(OpType type) {
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
  const std::int64_t row = copies * (count_bytes(inputs) + count_bytes(result));
  const std::int64_t check = copies * (count_bytes(wide) + wide_result);
  const std::int64_t transfer = std::max(count_bytes(inputs), count_bytes(result));
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

namespace {

/// From its making to its end, LibTorch's warnings come here instead of to stderr. One at a time.
class FallbackWatch : private c10::WarningHandler {
 public:
  /// What was said of the CPU; empty where nothing.
  const std::string& message() const { return message_; }

 private:
  /// "The operator 'aten::...' is not currently supported on the MPS backend and will fall back to run on the
  /// CPU", "... Falling back on CPU."
  void process(const c10::Warning& warning) override {
    const std::string& text = warning.msg();
    const bool is_of_fall =
        text.find("fall back") != std::string::npos || text.find("alling back") != std::string::npos;
    if (is_of_fall && text.find("CPU") != std::string::npos) message_ = text.substr(0, text.find('\n'));
  }

  c10::WarningUtils::WarningHandlerGuard handler_{this};
  c10::WarningUtils::WarnAlways always_;  // Else a warning comes only the first time.
  std::string message_;
};

constexpr std::int64_t kSpots = 4096;

/// Its values in whatever order they lie, without a copy where they lie densely.
at::Tensor flat(const at::Tensor& tensor) {
  return tensor.is_non_overlapping_and_dense() ? tensor.as_strided({tensor.numel()}, {1})
                                               : tensor.reshape(-1);
}

/// A copy. In two steps, since MPS has no fp64 on its side.
at::Tensor in_host_fp64(const at::Tensor& tensor) {
  return tensor.to(at::kCPU).to(at::kDouble, /*non_blocking=*/false, /*copy=*/true);
}

bool is_on(const at::Tensor& tensor, const std::string& device) {
  const c10::Device wanted(device);
  const c10::Device found = tensor.device();
  return found.type() == wanted.type() && (!wanted.has_index() || found.index() == wanted.index());
}

/// How far off something is, and how far it may be.
struct Deviation {
  double error = 0;
  double tolerance = 0;

  bool is_worse_than(const Deviation& other) const {
    return error * other.tolerance > other.error * tolerance || (tolerance == 0 && error > 0);
  }
};

/// The largest error that a right result may have, relative to the largest value: rounding of the result in
/// its type, and of sums of so many terms in fp32, or in the row's own type. docs/operations.md derives it.
double find_tolerance(OpType type, double terms, bool sums_in_own_type) {
  constexpr double kMost = 0.1;  // A result that is off by more is no rounding error.
  if (is_whole(type)) return 0;
  const double own = find_format(type).unit_roundoff;
  const double sums = sums_in_own_type ? own : std::min(own, find_format(OpType::kFp32).unit_roundoff);
  return std::min(kMost, 4 * own + 4 * sums * (4 + std::sqrt(terms)));
}

/// Functions such as a sigmoid make fp32 of whole numbers.
OpType find_type(const at::Tensor& result, OpType inputs) {
  return is_whole(inputs) && result.is_floating_point() ? OpType::kFp32 : inputs;
}

/// Of the gradient of each input, if there are any, against those of fp64 by LibTorch's own formulas.
std::vector<Deviation> gradient_deviations(const OpEntry& entry, const OpRequest& request,
                                           const Tensors& wide_inputs, const Tensors& outputs) {
  if (outputs.size() == 1) return {};
  OpCall reference(entry, request.sizes, wide_inputs);
  const at::Tensor& result = outputs.front();
  reference.want_gradients(in_host_fp64(row_gradient(result, request.seed)));
  reference.make();
  const double products = static_cast<double>(result.numel()) * entry.terms(request.sizes);
  std::vector<Deviation> found;
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    const at::Tensor& expected = reference.outputs().at(i);
    // Each term of the result goes into one value of the gradient.
    const double terms = std::max(1.0, products / static_cast<double>(expected.numel()));
    found.push_back({distance(expected, in_host_fp64(outputs[i])),
                     find_tolerance(request.type, terms, /*sums_in_own_type=*/true)});
  }
  return found;
}

void add_gradients(const OpRequest& request, OpCall& call) {
  call.make();
  call.want_gradients(row_gradient(call.outputs().front(), request.seed));
}

/// With gradients, inputs are read a second time, and the gradient of the result as well.
std::int64_t count_traffic(const OpCall& call, OpDirection direction) {
  const std::int64_t once = count_bytes(call.inputs()) + count_bytes(call.outputs());
  if (direction == OpDirection::kForward) return once;
  return once + count_bytes(call.inputs()) + static_cast<std::int64_t>(call.outputs().front().nbytes());
}

void check_place(const OpCall& call, const FallbackWatch& watch, const std::string& device) {
  for (const at::Tensor& output : call.outputs()) {
    if (!is_on(output, device)) {
      throw RowEnd(RowStatus::kCpuFallback, "the result is on " + output.device().str());
    }
  }
  if (!watch.message().empty()) throw RowEnd(RowStatus::kCpuFallback, watch.message());
}

}  // namespace

Tensors sample_elements(const Tensors& outputs) {
  return mapped(outputs, [](const at::Tensor& output) {
    const std::int64_t step = std::max<std::int64_t>(1, output.numel() / kSpots);
    return in_host_fp64(flat(output).slice(0, 0, output.numel(), step));
  });
}

bool agree(const Tensors& sampled_elements, const Tensors& others, double tolerance) {
  // Two results may be off to different sides.
  return std::ranges::equal(sampled_elements, others, [&](const at::Tensor& one, const at::Tensor& other) {
    return distance(one, other) <= 2 * tolerance;
  });
}

void check_outputs(const OpEntry& entry, const OpRequest& request, const OpCall& call, OpRecord& record) {
  const Tensors wide = in_fp64(entry, request, call.inputs());
  const at::Tensor result = call.outputs().front().to(at::kCPU);
  const bool is_narrow = entry.sums == Sums::kInOwnType;
  Deviation worst{entry.error(wide, result, request.sizes),
                  find_tolerance(find_type(result, request.type), entry.terms(request.sizes), is_narrow)};
  for (const Deviation& found : gradient_deviations(entry, request, wide, call.outputs())) {
    if (found.is_worse_than(worst)) worst = found;
  }
  record.error = worst.error;
  record.tolerance = worst.tolerance;
  if (worst.error <= worst.tolerance) return;
  throw RowEnd(RowStatus::kIncorrect,
               fmt::format("differs from fp64 by {:.2g} of the largest value; {:.2g} are allowed",
                           worst.error, worst.tolerance));
}

void check_call(const OpEntry& entry, const OpRequest& request, OpCall& call, Device& device,
                OpRecord& record) {
  const FallbackWatch watch;
  if (request.direction == OpDirection::kForwardBackward) add_gradients(request, call);
  call.make();
  device.synchronize();
  check_place(call, watch, device.name());
  const Tensors at_once = sample_elements(call.outputs());
  record.traffic = Bytes{count_traffic(call, request.direction)};
  check_outputs(entry, request, call, record);
  if (agree(at_once, sample_elements(call.outputs()), 0)) return;
  throw RowEnd(RowStatus::kIncorrect, "the result still changed after the device had said that it was done");
}

}  // namespace gpubench
