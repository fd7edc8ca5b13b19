#include "engine/ops/op_run.h"

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

}  // namespace

bool is_whole(OpType type) { return find_format(type).unit_roundoff == 0; }

Tensors make_inputs(const OpRow& row) {
  const at::Generator random = at::detail::createCPUGenerator(static_cast<std::uint64_t>(row.asked.seed));
  return typed(row.entry.inputs(row.sizes, random), row.asked.type, c10::Device(row.device.name()));
}

void require_memory(const OpRow& row) {
  // Tensors without memory.
  const Tensors wide = row.entry.inputs(row.sizes, std::nullopt);
  const Tensors inputs = typed(wide, row.asked.type, at::kMeta);
  Tensors result;
  try {
    const at::NoGradGuard guard;
    result = {row.entry.call(inputs, row.sizes)};
  } catch (const std::exception&) {
    // Some operations cannot be called without memory.
  }
  const std::int64_t wide_result =
      result.empty() ? 0 : result.front().numel() * static_cast<std::int64_t>(sizeof(double));
  // Gradients are as large as what they belong to.
  const int copies = row.asked.direction == OpDirection::kForward ? 1 : 2;
  const std::int64_t call = copies * (count_bytes(inputs) + count_bytes(result));
  const std::int64_t check = copies * (count_bytes(wide) + wide_result);
  const std::int64_t transfer = std::max(count_bytes(inputs), count_bytes(result));
  const bool is_on_cpu = row.device.name() == "cpu";
  row.record.needed_host = Bytes{check + (is_on_cpu ? call : transfer)};
  row.record.needed_device =
      is_on_cpu ? Measured<Bytes>(missing("the row is on the host")) : Measured<Bytes>(Bytes{call});
  require("host", row.record.needed_host, available_memory());
  require("device", row.record.needed_device, row.device.free_memory());
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

/// Catches LibTorch's warnings instead of stderr while it lives, one watch at a time.
class FallbackWatch : private c10::WarningHandler {
 public:
  /// Returns the warning that the CPU was used; empty if none came.
  const std::string& message() const { return message_; }

 private:
  /// "... will fall back to run on the CPU" (MPS), "... Falling back on CPU."
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

std::vector<Deviation> gradient_deviations(const OpRow& row, const Tensors& wide_inputs,
                                           const Tensors& outputs) {
  if (outputs.size() == 1) return {};
  OpCall reference(row.entry, row.sizes, wide_inputs);
  const at::Tensor& result = outputs.front();
  reference.want_gradients(in_host_fp64(make_gradient(result, row.asked.seed)));
  reference.make();
  const double products = static_cast<double>(result.numel()) * row.entry.terms(row.sizes);
  std::vector<Deviation> found;
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    const at::Tensor& expected = reference.outputs().at(i);
    // Each term of the result goes into one value of the gradient.
    const double terms = std::max(1.0, products / static_cast<double>(expected.numel()));
    found.push_back({distance(expected, in_host_fp64(outputs[i])),
                     find_tolerance(row.asked.type, terms, /*sums_in_own_type=*/true)});
  }
  return found;
}

void check_place(const OpCall& call, const FallbackWatch& watch, const c10::Device& wanted) {
  for (const at::Tensor& output : call.outputs()) {
    const c10::Device found = output.device();
    const bool is_there =
        found.type() == wanted.type() && (!wanted.has_index() || found.index() == wanted.index());
    if (!is_there) throw RowEnd(RowStatus::kCpuFallback, "the result is on " + found.str());
  }
  if (!watch.message().empty()) throw RowEnd(RowStatus::kCpuFallback, watch.message());
}

}  // namespace

Tensors sample_elements(const Tensors& outputs) {
  constexpr std::int64_t kElements = 4096;
  return mapped(outputs, [](const at::Tensor& output) {
    // In any order, without a copy of dense tensors.
    const at::Tensor flat =
        output.is_non_overlapping_and_dense() ? output.as_strided({output.numel()}, {1}) : output.reshape(-1);
    const std::int64_t step = std::max<std::int64_t>(1, output.numel() / kElements);
    return in_host_fp64(flat.slice(0, 0, output.numel(), step));
  });
}

bool agree(const Tensors& sampled, const Tensors& others, double tolerance) {
  // Two results may be off to different sides.
  return std::ranges::equal(sampled, others, [&](const at::Tensor& one, const at::Tensor& other) {
    return distance(one, other) <= 2 * tolerance;
  });
}

void check_outputs(const OpRow& row, const OpCall& call) {
  const auto& [entry, asked, sizes, device, record] = row;
  // The call's inputs in fp64 in host memory; indices stay int64.
  Tensors wide = entry.inputs(sizes, std::nullopt);
  for (std::size_t i = 0; i < wide.size(); ++i)
    wide[i] = call.inputs()[i].detach().to(at::kCPU).to(wide[i].scalar_type());
  const at::Tensor result = call.outputs().front().to(at::kCPU);
  // Functions such as a sigmoid make fp32 of whole numbers.
  const bool becomes_fp32 = is_whole(asked.type) && result.is_floating_point();
  Deviation worst{entry.error(wide, result, sizes),
                  find_tolerance(becomes_fp32 ? OpType::kFp32 : asked.type, entry.terms(sizes),
                                 entry.sums == Sums::kInOwnType)};
  for (const Deviation& found : gradient_deviations(row, wide, call.outputs())) {
    if (found.is_worse_than(worst)) worst = found;
  }
  record.error = worst.error;
  record.tolerance = worst.tolerance;
  if (worst.error <= worst.tolerance) return;
  throw RowEnd(RowStatus::kIncorrect,
               fmt::format("differs from fp64 by {:.2g} of the largest value; {:.2g} are allowed",
                           worst.error, worst.tolerance));
}

void check_call(const OpRow& row, OpCall& call) {
  const FallbackWatch watch;
  const bool has_gradients = row.asked.direction == OpDirection::kForwardBackward;
  if (has_gradients) {
    call.make();
    call.want_gradients(make_gradient(call.outputs().front(), row.asked.seed));
  }
  call.make();
  row.device.synchronize();
  check_place(call, watch, c10::Device(row.device.name()));
  const Tensors at_once = sample_elements(call.outputs());
  const std::int64_t inputs = count_bytes(call.inputs());
  std::int64_t traffic = inputs + count_bytes(call.outputs());
  // Gradients read the inputs a second time, and the gradient of the result as well.
  if (has_gradients) traffic += inputs + count_bytes({call.outputs().front()});
  row.record.traffic = Bytes{traffic};
  check_outputs(row, call);
  if (agree(at_once, sample_elements(call.outputs()), 0)) return;
  throw RowEnd(RowStatus::kIncorrect, "the result still changed after the device had said that it was done");
}

}  // namespace gpubench
