#include "workloads/op/op_run.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "device/host/host.h"
#include "engine/timing/timing.h"
#include "engine/torch/failure.h"
#include "engine/validation/plausibility.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

at::Tensor make_cache_flush_buffer(c10::Device device) {
  // More than the second-level cache of any GPU (126 MiB in a B200) and of most processors.
  constexpr std::int64_t kLeastBytes = std::int64_t{256} << 20;
  const Measured<Bytes> cache = last_level_cache();
  const bool is_known = device.is_cpu() && cache.has_value();
  const std::int64_t size = is_known ? std::max(kLeastBytes, 2 * cache.value().value) : kLeastBytes;
  return at::empty({size}, at::TensorOptions(device).dtype(at::kByte));
}

struct OpSample {
  Seconds host;
  Measured<Seconds> device{};  ///< By the device's own clock.

  Seconds best_known() const { return device.has_value() ? device.value() : host; }
};

/// Times the calls of a row, the last one of which was right. References outlive it.
class OpTiming {
 public:
  OpTiming(OpCall& call, const OpPoint& asked, Device& device, const Clock& clock, OpRecord& record)
      : call_(call),
        asked_(asked),
        device_(device),
        clock_(clock),
        record_(record),
        marks_(device_.has_own_clock() ? device_.make_marks(clock_, 2) : nullptr) {
    if (asked_.cache == OpCache::kCold) flush_buffer_ = make_cache_flush_buffer(c10::Device(device_.name()));
  }

  /// Throws RowEnd if a sample's last call was wrong.
  void time_calls() {
    std::int64_t calls = 1;
    if (asked_.protocol != OpProtocol::kS4) {
      calls = calls_for_sample();
      warm_up(calls);
    }
    const Seconds start = clock_.now();
    while (needs_another(clock_.now() - start)) {
      const OpSample sample = take(calls);
      host_.push_back(sample.host.value);
      if (sample.device.has_value()) by_device_.push_back(sample.device.value().value);
      call_.check_again();
    }
    note(calls);
  }

  /// Times tiny calls once more from a recorded graph, if supported. Results are not checked.
  void time_in_graph() {
    constexpr double kTiny = 100e-6;           // Longer calls hide the cost of a launch.
    constexpr std::int64_t kGraphCalls = 100;  // In one graph, so that its own launch does not count.
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

  /// Returns the calls that fill a sample; one with cold caches, since later calls would find them warm.
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

  /// Takes samples until one is like the one before, or until all have taken a part of the row's time.
  void warm_up(std::int64_t calls) {
    constexpr double kStable = 0.03;
    constexpr double kWarmUpPart = 0.25;
    double before = 0;
    while (spent_.value < kWarmUpPart * asked_.limit.value) {
      const double now = take(calls).best_known().value;
      if (std::abs(now - before) <= kStable * before) return;
      before = now;
    }
  }

  bool needs_another(Seconds since_first) const {
    constexpr std::size_t kLeastSamples = 3;  // For an interval, unless calls take very long.
    constexpr Seconds kPatience{10};
    if (host_.empty() || asked_.protocol == OpProtocol::kS4) return host_.empty();
    if (host_.size() < kLeastSamples && since_first < kPatience) return true;
    return std::ssize(host_) < asked_.most_samples && since_first < asked_.limit;
  }

  void note(std::int64_t calls) {
    const auto per_call = [calls](const std::vector<double>& windows) {
      return mapped(windows, [calls](double window) { return window / static_cast<double>(calls); });
    };
    const bool has_device_clock = !by_device_.empty();
    record_.calls_per_sample = calls;
    record_.clock = has_device_clock ? "device" : "host";
    record_.call_seconds = per_call(has_device_clock ? by_device_ : host_);
    if (has_device_clock) record_.host_call_seconds = per_call(host_);
    if (const auto warning = clock_warning(by_device_, host_)) record_.warnings.push_back(*warning);
  }

  OpCall& call_;
  const OpPoint& asked_;
  Device& device_;
  const Clock& clock_;
  OpRecord& record_;
  std::unique_ptr<DeviceMarks> marks_;  // None without a clock of the device's own.
  at::Tensor flush_buffer_;             // Undefined with warm caches.
  Seconds spent_;                       // In all samples so far, those of the warm-up included.
  // Of the samples after the warm-up, in seconds.
  std::vector<double> host_;
  std::vector<double> by_device_;
};

/// A refusal of whole numbers, which has no type of its own in LibTorch: "not supported for Long", "same
/// dtype", "FIND was unable to find an engine". A failure of the device is none.
bool is_refusal(const std::exception& error) {
  return dynamic_cast<const c10::Error*>(&error) != nullptr &&
         dynamic_cast<const c10::AcceleratorError*>(&error) == nullptr;
}

}  // namespace

void check_sizes(const OpEntry& entry, const OpCase& sizes) {
  try {
    entry.inputs(sizes, std::nullopt);
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    throw Error(ErrorKind::kUsage, "--shape \"{}\": has more bytes than can be counted; give smaller sizes",
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
  // With gradients, products are three: one forward, two backward.
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
    const bool is_unsupported =
        failure.status == RowStatus::kError && is_whole(asked.type) && is_refusal(error);
    record.status = is_unsupported ? RowStatus::kUnsupported : failure.status;
    record.status_reason = failure.message;
  }
  return record;
}

}  // namespace gpubench
