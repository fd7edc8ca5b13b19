#include "workloads/op/op_run.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "device/host/host.h"
#include "engine/plan/op_plan.h"
#include "engine/timing/timing.h"
#include "engine/torch/failure.h"
#include "engine/validation/plausibility.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/quantities.h"
#include "ops/parts.h"

namespace gpubench {
namespace {

/// Ends a row without a time. The message is the reason.
struct RowEnd : std::runtime_error {
  RowEnd(RowStatus status_, const std::string& why) : std::runtime_error(why), status(status_) {}
  RowStatus status;
};

struct NumberFormat {
  at::ScalarType type;
  double unit_roundoff;  ///< Half the distance from 1 to the next number; 0 for integers.
};

NumberFormat find_format(OpType type) {
  static const std::map<OpType, NumberFormat> formats = {
      {OpType::kFp32, {at::kFloat, 0x1p-24}},   {OpType::kFp16, {at::kHalf, 0x1p-11}},
      {OpType::kBf16, {at::kBFloat16, 0x1p-8}}, {OpType::kFp64, {at::kDouble, 0x1p-53}},
      {OpType::kInt32, {at::kInt, 0}},          {OpType::kInt64, {at::kLong, 0}}};
  return formats.at(type);
}

bool is_whole(OpType type) { return find_format(type).unit_roundoff == 0; }

Tensors typed(const Tensors& tensors, OpType type, c10::Device device) {
  constexpr double kWholeSpread = 8;  // Rounded standard normal numbers would almost all be 0 or ±1.
  return mapped(tensors, [&](const at::Tensor& values) {
    if (!values.is_floating_point()) return values.to(device);
    const at::Tensor spread = is_whole(type) ? (values * kWholeSpread).round() : values;
    return spread.to(find_format(type).type).to(device);  // Converts on the host, since MPS has no fp64.
  });
}

std::int64_t count_bytes(const Tensors& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += static_cast<std::int64_t>(tensor.nbytes());
  return bytes;
}

void require(const std::string& whose, const Measured<Bytes>& needed, const Measured<Bytes>& available) {
  if (!needed.has_value() || !available.has_value() || needed.value() <= available.value()) return;
  throw RowEnd(RowStatus::kSkipped, fmt::format("needs {} of {} memory, {} free", byte_text(needed.value()),
                                                whose, byte_text(available.value())));
}

/// Returns a copy in host memory. Converts on the host, since MPS has no fp64.
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

/// Returns the largest error of a correct result, relative to the largest value; see docs/operations.md.
double find_tolerance(OpType type, double terms, bool sums_in_own_type) {
  constexpr double kMost = 0.1;  // A larger error is not due to rounding.
  if (is_whole(type)) return 0;
  const double own = find_format(type).unit_roundoff;
  const double sums = sums_in_own_type ? own : std::min(own, find_format(OpType::kFp32).unit_roundoff);
  return std::min(kMost, 4 * own + 4 * sums * (4 + std::sqrt(terms)));
}

/// Returns whether the sampled elements of two calls are equal within rounding.
bool agree(const Tensors& sampled, const Tensors& others, double tolerance) {
  // Two correct results may deviate in opposite directions.
  return std::ranges::equal(sampled, others, [&](const at::Tensor& one, const at::Tensor& other) {
    return distance(one, other) <= 2 * tolerance;
  });
}

/// Enables gradients for floating-point inputs and returns these.
Tensors differentiable(const Tensors& inputs) {
  Tensors found;
  for (const at::Tensor& input : inputs) {
    if (input.is_floating_point()) found.push_back(input.requires_grad_());
  }
  return found;
}

/// Returns the result and, for a defined `gradient` of the result, the gradients of `differentiated` inputs.
Tensors call_op(const OpEntry& entry, const OpCase& sizes, const Tensors& inputs,
                const Tensors& differentiated = {}, const at::Tensor& gradient = {}) {
  const at::AutoGradMode mode(gradient.defined());
  const at::Tensor result = entry.call(inputs, sizes);
  Tensors outputs;
  if (gradient.defined()) outputs = torch::autograd::grad({result}, differentiated, {gradient});
  outputs.insert(outputs.begin(), result.detach());
  return outputs;
}

/// The operation of a row on random inputs, and its check. The references must outlive it.
class OpCall {
 public:
  /// Records an upper bound of the memory of row and check. Throws RowEnd if less memory is free.
  OpCall(const OpEntry& entry, const OpPoint& asked, const OpCase& sizes, Device& device, OpRecord& record)
      : entry_(entry), asked_(asked), sizes_(sizes), device_(device), record_(record) {
    require_memory();
    const at::Generator random = at::detail::createCPUGenerator(static_cast<std::uint64_t>(asked.seed));
    inputs_ = typed(entry.inputs(sizes, random), asked.type, c10::Device(device.name()));
  }

  /// Queues a call without waiting. Frees the last results first, since large ones do not fit twice.
  void make() {
    outputs_.clear();
    outputs_ = call_op(entry_, sizes_, inputs_, differentiated_, output_gradient_);
  }

  /// Makes a call and compares it with fp64. This and later calls compute gradients if the row needs them.
  /// Records traffic, error and tolerance. Throws RowEnd for a wrong result, Unsupported without gradients.
  void check() {
    make();
    std::int64_t traffic = count_bytes(inputs_);
    if (asked_.direction == OpDirection::kForwardBackward) {
      // The backward pass reads the inputs again, and the gradient of the result.
      traffic += traffic + count_bytes({outputs_.front()});
      differentiated_ = differentiable(inputs_);
      if (differentiated_.empty() || !outputs_.front().is_floating_point())
        throw Unsupported(entry_.name + " has no gradient for integers");
      output_gradient_ = make_gradient(outputs_.front(), asked_.seed);
      make();
    }
    device_.synchronize();
    check_device();
    checked_ = sample();
    record_.traffic = Bytes{traffic + count_bytes(outputs_)};
    check_outputs();
    if (agree(checked_, sample(), 0)) return;
    throw RowEnd(RowStatus::kIncorrect, "the result still changed after the device had synchronized");
  }

  /// Compares some values of the last call with the checked call. Throws RowEnd if they are wrong.
  void check_again() {
    // An operation with several correct results may return a different one.
    if (!agree(checked_, sample(), record_.tolerance.value())) check_outputs();
  }

 private:
  void require_memory() {
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
    // Gradients have the size of their tensors.
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

  void check_device() const {
    const c10::Device wanted(device_.name());
    for (const at::Tensor& output : outputs_) {
      const c10::Device found = output.device();
      const bool is_on_device =
          found.type() == wanted.type() && (!wanted.has_index() || found.index() == wanted.index());
      if (!is_on_device) throw RowEnd(RowStatus::kCpuFallback, "the result is on " + found.str());
    }
  }

  void check_outputs() {
    // Inputs of the call in fp64 in host memory; indices stay int64.
    Tensors wide = entry_.inputs(sizes_, std::nullopt);
    for (std::size_t i = 0; i < wide.size(); ++i)
      wide[i] = inputs_[i].detach().to(at::kCPU).to(wide[i].scalar_type());
    const at::Tensor result = outputs_.front().to(at::kCPU);
    // Functions such as a sigmoid turn integers into fp32.
    const bool becomes_fp32 = is_whole(asked_.type) && result.is_floating_point();
    const double terms = entry_.terms(sizes_);
    Deviation worst{
        entry_.error(wide, result, sizes_),
        find_tolerance(becomes_fp32 ? OpType::kFp32 : asked_.type, terms, entry_.sums == Sums::kInOwnType)};
    Tensors expected;
    if (output_gradient_.defined()) {
      expected = call_op(entry_, sizes_, wide, differentiable(wide), in_host_fp64(output_gradient_));
      expected.erase(expected.begin());  // The result.
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Each term of the result contributes to one value of the gradient.
      const double own_terms = std::max(
          1.0, static_cast<double>(result.numel()) * terms / static_cast<double>(expected[i].numel()));
      const Deviation found{distance(expected[i], in_host_fp64(outputs_[i + 1])),
                            find_tolerance(asked_.type, own_terms, /*sums_in_own_type=*/true)};
      if (found.is_worse_than(worst)) worst = found;
    }
    record_.error = worst.error;
    record_.tolerance = worst.tolerance;
    if (worst.error <= worst.tolerance) return;
    throw RowEnd(RowStatus::kIncorrect,
                 fmt::format("differs from fp64 by {:.2g} of the largest value; tolerance {:.2g}",
                             worst.error, worst.tolerance));
  }

  /// Returns up to 4,096 values of each result, to compare calls. Waits for the device.
  Tensors sample() const {
    constexpr std::int64_t kElements = 4096;
    return mapped(outputs_, [](const at::Tensor& output) {
      // The order does not matter, so dense tensors need no copy.
      const at::Tensor flat = output.is_non_overlapping_and_dense() ? output.as_strided({output.numel()}, {1})
                                                                    : output.reshape(-1);
      const std::int64_t step = std::max<std::int64_t>(1, output.numel() / kElements);
      return in_host_fp64(flat.slice(0, 0, output.numel(), step));
    });
  }

  const OpEntry& entry_;
  const OpPoint& asked_;
  const OpCase& sizes_;
  Device& device_;
  OpRecord& record_;
  Tensors inputs_;
  Tensors differentiated_;
  at::Tensor output_gradient_;
  Tensors outputs_;
  Tensors checked_;  // Sample of the call that was checked.
};

struct OpSample {
  Seconds host;
  Measured<Seconds> device{};  ///< Time by the device's clock.
};

/// Times the calls of a checked row. The references must outlive it.
class OpTiming {
 public:
  OpTiming(OpCall& call, const OpPoint& asked, Device& device, const Clock& clock, OpRecord& record)
      : call_(call),
        asked_(asked),
        device_(device),
        clock_(clock),
        record_(record),
        marks_(device_.has_own_clock() ? device_.make_marks(clock_, 2) : nullptr) {
    if (asked_.cache == OpCache::kWarm) return;
    // Larger than the second-level cache of any GPU (126 MiB in a B200) and of most processors.
    std::int64_t size = std::int64_t{256} << 20;
    const c10::Device place(device_.name());
    if (place.is_cpu()) size = std::max(size, 2 * last_level_cache().value_or({}).value);
    flush_buffer_ = at::empty({size}, at::TensorOptions(place).dtype(at::kByte));
  }

  /// Times all samples of the row. Throws RowEnd if the last call of a sample is wrong.
  void time_calls() {
    std::int64_t calls = 1;
    if (asked_.protocol != OpProtocol::kS4) {
      calls = calls_for_sample();
      warm_up(calls);
    }
    std::vector<double> by_host;    // Seconds of each sample.
    std::vector<double> by_device;  // Seconds of these samples by the device's clock, if it has one.
    const Seconds start = clock_.now();
    while (needs_another(by_host.size(), clock_.now() - start)) {
      const OpSample sample = take(calls);
      by_host.push_back(sample.host.value);
      if (sample.device.has_value()) by_device.push_back(sample.device.value().value);
      call_.check_again();
    }
    const auto per_call = [calls](const std::vector<double>& windows) {
      return mapped(windows, [calls](double window) { return window / static_cast<double>(calls); });
    };
    record_.calls_per_sample = calls;
    record_.clock = by_device.empty() ? "host" : "device";
    record_.call_seconds = per_call(by_device.empty() ? by_host : by_device);
    if (!by_device.empty()) record_.host_call_seconds = per_call(by_host);
    if (const auto warning = clock_warning(by_device, by_host)) record_.warnings.push_back(*warning);
  }

  /// Times short calls also from a recorded graph, if supported. Does not check the results.
  void time_in_graph() {
    constexpr double kTiny = 100e-6;           // Longer calls hide the launch latency.
    constexpr std::int64_t kGraphCalls = 100;  // Enough to make the launch of the graph negligible.
    constexpr int kGraphSamples = 20;
    std::vector<double>& times = record_.graph_call_seconds;
    const bool is_worth_it = device_.why_no_graph().empty() && asked_.direction == OpDirection::kForward &&
                             asked_.cache == OpCache::kWarm && compute_median(record_.call_seconds) < kTiny;
    if (!is_worth_it) return;
    try {
      const auto graph = device_.record_graph([&] { call(1); }, [&] { call(kGraphCalls); });
      const auto replay = [&](int replays) {
        const auto work = [&] {
          for (int i = 0; i < replays; ++i) graph->replay();
        };
        return time_work(device_, clock_, work).value;
      };
      const double took = replay(1);
      const int replays = took > 0 ? 1 + static_cast<int>(asked_.sample.value / took) : 1;
      for (int i = 0; i < kGraphSamples; ++i) {
        times.push_back(replay(replays) / static_cast<double>(replays * kGraphCalls));
      }
    } catch (const std::exception&) {
      times.clear();
    }
  }

 private:
  void call(std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) call_.make();
  }

  OpSample take(std::int64_t calls) {
    if (flush_buffer_.defined()) flush_buffer_.zero_();
    OpSample sample{time_work(device_, clock_, [&] {
      if (marks_) marks_->mark(0);
      call(calls);
      if (marks_) marks_->mark(1);
    })};
    spent_ = spent_ + sample.host;
    if (marks_) sample.device = marks_->between(0, 1);
    return sample;
  }

  /// Returns the number of calls per sample; 1 with cold caches, since further calls would find them warm.
  std::int64_t calls_for_sample() {
    constexpr std::int64_t kMostCalls = 1 << 20;
    const double wanted = asked_.sample.value;
    std::int64_t calls = 1;
    while (!flush_buffer_.defined() && calls < kMostCalls) {
      const double took = take(calls).host.value;
      if (took >= wanted) break;
      const double factor = took > 0 ? std::min(10.0, 1.2 * wanted / took) : 10;
      calls = std::min(kMostCalls, static_cast<std::int64_t>(std::ceil(static_cast<double>(calls) * factor)));
    }
    return calls;
  }

  /// Takes samples until two in a row agree, or until a quarter of the row's time limit has passed.
  void warm_up(std::int64_t calls) {
    constexpr double kStable = 0.03;
    constexpr double kWarmUpPart = 0.25;
    double before = 0;
    while (spent_.value < kWarmUpPart * asked_.limit.value) {
      const OpSample sample = take(calls);
      const double now = sample.device.value_or(sample.host).value;
      if (std::abs(now - before) <= kStable * before) return;
      before = now;
    }
  }

  bool needs_another(std::size_t samples, Seconds since_first) const {
    constexpr std::size_t kLeastSamples = 3;  // Enough for an interval. Very long calls have fewer.
    constexpr Seconds kLongestLeast{10};
    if (samples == 0 || asked_.protocol == OpProtocol::kS4) return samples == 0;
    if (samples < kLeastSamples && since_first < kLongestLeast) return true;
    return samples < static_cast<std::size_t>(asked_.most_samples) && since_first < asked_.limit;
  }

  OpCall& call_;
  const OpPoint& asked_;
  Device& device_;
  const Clock& clock_;
  OpRecord& record_;
  std::unique_ptr<DeviceMarks> marks_;  // Null if the device has no clock.
  at::Tensor flush_buffer_;             // Undefined with warm caches.
  Seconds spent_;                       // Time in all samples, including the warm-up.
};

}  // namespace

void check_sizes(const OpEntry& entry, const OpCase& sizes) {
  try {
    entry.inputs(sizes, std::nullopt);
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    throw Error(ErrorKind::kUsage, "--shape \"{}\": size in bytes overflows; give smaller sizes",
                to_string(sizes));
  }
}

OpRecord run_op(const OpEntry& entry, const OpPoint& asked, Device& device, const Clock& clock) {
  const OpCase sizes = parse_op_case(asked.sizes, "--shape");
  check_sizes(entry, sizes);
  allow_tf32(false);
  OpRecord record = describe(OpWork{asked});
  record.op = entry.name;
  record.device = device.name();
  // The backward pass has two products for each forward one.
  record.flop = entry.flop(sizes) * (asked.direction == OpDirection::kForward ? 1 : 3);
  try {
    OpCall call(entry, asked, sizes, device, record);
    call.check();
    OpTiming timing(call, asked, device, clock, record);
    timing.time_calls();
    timing.time_in_graph();
    record.status = RowStatus::kOk;
  } catch (const RowEnd& end) {
    record.status = end.status;
    record.status_reason = end.what();
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    // LibTorch has no exception type for operations without integers: "not supported for Long", "same dtype",
    // "FIND was unable to find an engine".
    const bool is_of_device = dynamic_cast<const c10::AcceleratorError*>(&error) != nullptr;
    const bool is_unsupported = failure.status == RowStatus::kError && is_whole(asked.type) &&
                                dynamic_cast<const c10::Error*>(&error) != nullptr && !is_of_device;
    record.status = is_unsupported ? RowStatus::kUnsupported : failure.status;
    record.status_reason = failure.message;
  }
  return record;
}

}  // namespace gpubench
