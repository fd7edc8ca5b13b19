#include "engine/ops/op_run.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include "device/host/host.h"
#include "engine/ops/op_call.h"
#include "engine/timing/timing.h"
#include "engine/torch/failure.h"
#include "engine/validation/plausibility.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/op.h"

namespace gpubench {
namespace {

/// More than any GPU's second-level cache of today (126 MiB in a B200), and more than most processors have.
constexpr std::int64_t kLeastBytes = std::int64_t{256} << 20;

/// Memory on the device that is larger than its caches.
at::Tensor ballast_on(c10::Device device) {
  const Measured<Bytes> cache = last_level_cache();
  const bool is_told = device.is_cpu() && cache.has_value();
  const std::int64_t size = is_told ? std::max(kLeastBytes, 2 * cache.value().value) : kLeastBytes;
  return at::empty({size}, at::TensorOptions(device).dtype(at::kByte));
}

/// One timed window.
struct OpSample {
  Seconds host;
  Measured<Seconds> device{};  ///< By the device's own clock.

  Seconds best_known() const { return device.has_value() ? device.value() : host; }
};

constexpr std::int64_t kMostCalls = 1 << 20;
constexpr double kStable = 0.03;
constexpr double kPauses = 20;
constexpr double kWarmUpPart = 0.25;

/// An interval takes so many samples. Those of calls that take a minute are not worth the wait.
constexpr std::size_t kLeastSamples = 3;
constexpr Seconds kPatience{10};

/// Longer calls hide what launching them costs.
constexpr double kTiny = 100e-6;
/// In one graph, so that launching the graph itself does not count.
constexpr std::int64_t kGraphCalls = 100;
constexpr int kGraphSamples = 20;

/// Times the calls of a row, the last one of which was right. All that it is made of outlives it.
class OpTiming {
 public:
  OpTiming(const OpEntry& entry, const OpRequest& request, OpCall& call, Device& device, const Clock& clock,
           OpRecord& record)
      : entry_(entry),
        request_(request),
        call_(call),
        device_(device),
        clock_(clock),
        record_(record),
        right_(sample_elements(call.outputs())),
        timer_(device.make_timer()) {
    if (request.cache == OpCache::kCold) ballast_ = ballast_on(c10::Device(device.name()));
  }

  /// Warms up, then takes samples. Throws RowEnd where the last call of a sample made something wrong, or the
  /// device was not done when the clock stopped.
  void time_calls() {
    std::int64_t calls = 1;
    if (!request_.effort.is_second_call) {
      calls = calls_for_sample();
      warm_up(calls);
    }
    const Seconds start = clock_.now();
    while (needs_another(clock_.now() - start)) {
      const OpSample sample = take(calls);
      host_.push_back(sample.host.value);
      if (sample.device.has_value()) by_device_.push_back(sample.device.value().value);
      consume();
    }
    if (was_still_busy(host_, waits_)) {
      throw RowEnd(RowStatus::kIncorrect, "the device was still computing when it had said that it was done");
    }
    note(calls);
  }

  /// Times tiny calls once more as the device replays them from a recorded graph, where it can. What they
  /// make is not looked at. A call that cannot be recorded leaves a row without such times.
  void time_in_graph() {
    if (!is_worth_a_graph()) return;
    try {
      const auto graph = device_.record_graph([&] { call(1); }, [&] { call(kGraphCalls); });
      const auto replay = [&](int replays) {
        TimedWindow window(device_, clock_);
        for (int i = 0; i < replays; ++i) graph->replay();
        return window.close().value;
      };
      const double took = replay(1);
      const int replays = took > 0 ? 1 + static_cast<int>(request_.effort.sample.value / took) : 1;
      for (int i = 0; i < kGraphSamples; ++i) {
        record_.graph_call_seconds.push_back(replay(replays) / static_cast<double>(replays * kGraphCalls));
      }
    } catch (const std::exception&) {
      record_.graph_call_seconds.clear();
    }
  }

 private:
  void call(std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i) call_.make();
  }

  /// A window of so many calls, with caches full of other data before it where the row wants that.
  OpSample take(std::int64_t calls) {
    if (ballast_.defined()) ballast_.zero_();
    TimedWindow window(device_, clock_);
    if (timer_) timer_->start();
    call(calls);
    if (timer_) timer_->stop();
    OpSample sample{window.close()};
    spent_ = spent_ + sample.host;
    if (timer_) sample.device = timer_->elapsed();
    return sample;
  }

  /// So many calls that a sample is as long as the row wants; one where caches are to be cold, since only the
  /// first call would find them so.
  std::int64_t calls_for_sample() {
    const double wanted = request_.effort.sample.value;
    std::int64_t calls = 1;
    while (!ballast_.defined() && calls < kMostCalls) {
      double took = take(calls).host.value;
      // A pause of the machine makes a sample longer; not so a second time, or hardly, where it is much
      // longer.
      if (took >= wanted && took < kPauses * wanted) took = std::min(took, take(calls).host.value);
      if (took >= wanted) break;
      const double factor = took > 0 ? std::min(10.0, 1.2 * wanted / took) : 10;
      calls = std::min(kMostCalls, static_cast<std::int64_t>(std::ceil(static_cast<double>(calls) * factor)));
    }
    return calls;
  }

  /// Takes samples until one is like the one before, or until all have taken a part of the row's time.
  void warm_up(std::int64_t calls) {
    double before = 0;
    while (spent_.value < kWarmUpPart * request_.effort.limit.value) {
      const double now = take(calls).best_known().value;
      if (std::abs(now - before) <= kStable * before) return;
      before = now;
    }
  }

  /// Whether another sample is due.
  bool needs_another(Seconds since_first) const {
    const OpEffort& effort = request_.effort;
    if (host_.empty() || effort.is_second_call) return host_.empty();
    if (host_.size() < kLeastSamples && since_first < kPatience) return true;
    return host_.size() < effort.most_samples && since_first < effort.limit;
  }

  /// Looks at what the last call made.
  void consume() {
    const auto read = [this] {
      const Seconds start = clock_.now();
      Tensors sampled_elements = sample_elements(call_.outputs());
      return std::pair(clock_.now() - start, std::move(sampled_elements));
    };
    const auto [reading, made] = read();
    // Once more, when nothing is left to wait for: what then is shorter was waiting.
    waits_.push_back((reading - read().first).value);
    // Where several results are right, another one than before may come.
    if (!agree(right_, made, record_.tolerance.value())) check_outputs(entry_, request_, call_, record_);
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

  bool is_worth_a_graph() const {
    return device_.why_no_graph().empty() && request_.direction == OpDirection::kForward &&
           request_.cache == OpCache::kWarm && compute_median(record_.call_seconds) < kTiny;
  }

  const OpEntry& entry_;
  const OpRequest& request_;
  OpCall& call_;
  Device& device_;
  const Clock& clock_;
  OpRecord& record_;
  Tensors right_;  // Spots of the call that was checked.
  std::unique_ptr<DeviceTimer> timer_;
  at::Tensor ballast_;  // Undefined where caches are to be warm.
  Seconds spent_;       // In all samples so far, those of the warm-up included.
  // Of the samples after the warm-up, in seconds.
  std::vector<double> host_;
  std::vector<double> by_device_;
  std::vector<double> waits_;  // For the device, after it had said that it was done.
};

OpRecord describe(const OpEntry& entry, const OpRequest& request, const Device& device) {
  OpRecord record = describe(OpWork{entry.name, request, device.name()});
  // With gradients, products are three: one forward, two backward.
  record.flop = entry.flop(request.sizes) * (request.direction == OpDirection::kForward ? 1 : 3);
  return record;
}

void require_memory(const std::string& whose, const Measured<Bytes>& needed,
                    const Measured<Bytes>& available) {
  if (!needed.has_value() || !available.has_value() || needed.value() <= available.value()) return;
  throw RowEnd(RowStatus::kSkipped,
               fmt::format("needs {} of {} memory, {} are free", byte_text(needed.value()), whose,
                           byte_text(available.value())));
}

void require_memory(const OpEntry& entry, const OpRequest& request, const Device& device, OpRecord& record) {
  const bool is_on_cpu = device.name() == "cpu";
  const RowMemory memory = row_memory(entry, request, is_on_cpu);
  record.needed_host = Bytes{memory.host};
  record.needed_device =
      is_on_cpu ? Measured<Bytes>(missing("the row is on the host")) : Bytes{memory.device};
  require_memory("host", record.needed_host, available_memory());
  require_memory("device", record.needed_device, device.free_memory());
}

void run(const OpEntry& entry, const OpRequest& request, Device& device, const Clock& clock,
         OpRecord& record) {
  require_memory(entry, request, device, record);
  OpCall call(entry, request.sizes, row_inputs(entry, request, device.name()));
  check_call(entry, request, call, device, record);
  OpTiming timing(entry, request, call, device, clock, record);
  timing.time_calls();
  timing.time_in_graph();
}

/// Some operations make floating-point numbers on the way and then find that they do not go with whole ones.
RowStatus find_status(const Failure& failure, OpType type) {
  const bool is_about_types = failure.message.find("dtype") != std::string::npos;
  const bool is_unsupported = failure.status == RowStatus::kError && is_whole(type) && is_about_types;
  return is_unsupported ? RowStatus::kUnsupported : failure.status;
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

OpRecord run_op(const OpEntry& entry, const OpRequest& request, Device& device, const Clock& clock) {
  check_sizes(entry, request.sizes);
  allow_tf32(false);
  OpRecord record = describe(entry, request, device);
  try {
    run(entry, request, device, clock, record);
    record.status = RowStatus::kOk;
  } catch (const RowEnd& end) {
    record.status = end.status;
    record.status_reason = end.what();
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    record.status = find_status(failure, request.type);
    record.status_reason = failure.message;
  }
  return record;
}

}  // namespace gpubench
