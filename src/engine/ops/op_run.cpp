#include "engine/ops/op_run.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include "device/host/host.h"
#include "engine/judge/doubts.h"
#include "engine/ops/op_call.h"
#include "engine/ops/op_check.h"
#include "engine/timing/timing.h"
#include "engine/torch/failure.h"
#include "gpubench/core/error.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/op.h"

namespace gpubench {
namespace {

/// A row that is to be timed.
struct OpRow {
  const OpRequest& request;
  OpCall& call;
  Spots right;                       ///< Of the call that was checked.
  std::function<Verdict()> recheck;  ///< Of what the last call made, should it be something else.
  Device& device;
  const Clock& clock;
};

/// More than any GPU's second-level cache of today (126 MiB in a B200), and more than most processors have.
constexpr std::int64_t kLeastBytes = std::int64_t{256} << 20;

/// Memory on the device that is larger than its caches.
at::Tensor ballast_on(c10::Device device) {
  const Reading<Bytes> cache = last_level_cache();
  const bool is_told = device.is_cpu() && cache.has_value();
  const std::int64_t size = is_told ? std::max(kLeastBytes, 2 * cache.value().value) : kLeastBytes;
  return at::empty({size}, at::TensorOptions(device).dtype(at::kByte));
}

/// One timed window.
struct OpSample {
  Seconds host;
  Reading<Seconds> device{};  ///< By the device's own clock.

  Seconds best_known() const { return device.has_value() ? device.value() : host; }
};

constexpr std::int64_t kMostCalls = 1 << 20;
constexpr double kStable = 0.03;
constexpr double kPauses = 20;
constexpr double kWarmUpPart = 0.25;

/// Takes samples of one row, which must outlive it.
class OpSampler {
 public:
  explicit OpSampler(const OpRow& row) : row_(row), timer_(row.device.make_timer()) {
    if (row.request.cache == OpCache::kCold) ballast_ = ballast_on(c10::Device(row.device.name()));
  }

  /// A window of so many calls, with caches full of other data before it where the row wants that.
  OpSample take(std::int64_t calls) {
    if (ballast_.defined()) ballast_.zero_();
    TimedWindow window(row_.device, row_.clock);
    if (timer_) timer_->start();
    for (std::int64_t i = 0; i < calls; ++i) row_.call.make();
    if (timer_) timer_->stop();
    OpSample sample{window.close()};
    spent_ = spent_ + sample.host;
    if (timer_) sample.device = timer_->elapsed();
    return sample;
  }

  /// So many calls that a sample is as long as the row wants; one where caches are to be cold, since only the
  /// first call would find them so.
  std::int64_t calls_for_sample() {
    const double wanted = row_.request.effort.sample.value;
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
    while (spent_.value < kWarmUpPart * row_.request.effort.limit.value) {
      const double now = take(calls).best_known().value;
      if (std::abs(now - before) <= kStable * before) return;
      before = now;
    }
  }

 private:
  const OpRow& row_;
  std::unique_ptr<DeviceTimer> timer_;
  at::Tensor ballast_;  // Undefined where caches are to be warm.
  Seconds spent_;       // In all samples so far.
};

/// An interval takes so many samples. Those of calls that take a minute are not worth the wait.
constexpr std::size_t kLeastSamples = 3;
constexpr Seconds kPatience{10};

/// Of all samples, in seconds.
struct Windows {
  std::vector<double> host;
  std::vector<double> device;
  std::vector<double> waits;  ///< For the device, after it had said that it was done.

  void add(const OpSample& sample) {
    host.push_back(sample.host.value);
    if (sample.device.has_value()) device.push_back(sample.device.value().value);
  }
};

Seconds time_reading(const OpRow& row) {
  const Seconds start = row.clock.now();
  const Spots made(row.call.outputs());
  return row.clock.now() - start;
}

/// Looks at what the last call made.
Verdict consume(OpRow& row, Windows& windows, double tolerance) {
  const Seconds start = row.clock.now();
  const Spots made(row.call.outputs());
  const Seconds reading = row.clock.now() - start;
  // Once more, when nothing is left to wait for: what then is shorter was waiting.
  windows.waits.push_back((reading - time_reading(row)).value);
  // Where several results are right, another one than before may come.
  return row.right.agree_with(made, tolerance) ? Verdict{} : row.recheck();
}

/// Whether another sample is due.
bool goes_on(const OpEffort& effort, std::size_t samples, Seconds since_first) {
  if (samples == 0 || effort.is_second_call) return samples == 0;
  if (samples < kLeastSamples && since_first < kPatience) return true;
  return samples < effort.most_samples && since_first < effort.limit;
}

std::vector<double> per_call(const std::vector<double>& windows, std::int64_t calls) {
  std::vector<double> result;
  for (const double window : windows) result.push_back(window / static_cast<double>(calls));
  return result;
}

void note(const Windows& windows, std::int64_t calls, OpRecord& record) {
  const bool has_device_clock = !windows.device.empty();
  record.calls_per_sample = calls;
  record.clock = has_device_clock ? "device" : "host";
  record.call_seconds = per_call(has_device_clock ? windows.device : windows.host, calls);
  if (has_device_clock) record.host_call_seconds = per_call(windows.host, calls);
  const std::optional<Warning> warning = clock_warning(windows.device, windows.host);
  if (warning) record.warnings.push_back(*warning);
}

/// Longer calls hide what launching them costs.
constexpr double kTiny = 100e-6;
/// In one graph, so that launching the graph itself does not count.
constexpr std::int64_t kCalls = 100;
constexpr int kSamples = 20;

bool is_worth_it(const OpRow& row, const OpRecord& record) {
  return row.device.why_no_graph().empty() && row.request.direction == OpDirection::kForward &&
         row.request.cache == OpCache::kWarm && median_of(record.call_seconds) < kTiny;
}

/// So many replays that a sample is as long as the row wants.
int replays_for(const OpRow& row, RecordedWork& graph) {
  TimedWindow window(row.device, row.clock);
  graph.replay();
  const double took = window.close().value;
  return took > 0 ? 1 + static_cast<int>(row.request.effort.sample.value / took) : 1;
}

double replay_seconds(const OpRow& row, RecordedWork& graph, int replays) {
  TimedWindow window(row.device, row.clock);
  for (int i = 0; i < replays; ++i) graph.replay();
  return window.close().value / static_cast<double>(replays * kCalls);
}

/// Warms up, then takes samples into `record`. Where the last call of a sample made something wrong, or the
/// device was not done when the clock stopped, there are none and the verdict says why.
Verdict time_calls(OpRow& row, OpRecord& record) {
  const OpEffort& effort = row.request.effort;
  OpSampler sampler(row);
  std::int64_t calls = 1;
  if (!effort.is_second_call) {
    calls = sampler.calls_for_sample();
    sampler.warm_up(calls);
  }
  Windows windows;
  const Seconds start = row.clock.now();
  while (goes_on(effort, windows.host.size(), row.clock.now() - start)) {
    windows.add(sampler.take(calls));
    if (Verdict verdict = consume(row, windows, record.tolerance.value()); !verdict.is_ok()) return verdict;
  }
  if (was_still_busy(windows.host, windows.waits)) {
    return {RowStatus::kWrong, "the device was still computing when it had said that it was done"};
  }
  note(windows, calls, record);
  return {};
}

/// Times tiny calls once more as the device replays them from a recorded graph, where it can. What they make
/// is not looked at. A call that cannot be recorded leaves a row without such times.
void time_in_graph(OpRow& row, OpRecord& record) {
  if (!is_worth_it(row, record)) return;
  try {
    const auto calls = [&row](std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) row.call.make();
    };
    const auto graph = row.device.record_graph([&] { calls(1); }, [&] { calls(kCalls); });
    const int replays = replays_for(row, *graph);
    for (int i = 0; i < kSamples; ++i) {
      record.graph_call_seconds.push_back(replay_seconds(row, *graph, replays));
    }
  } catch (const std::exception&) {
    record.graph_call_seconds.clear();
  }
}

OpRecord describe(const OpEntry& entry, const OpRequest& request, const Device& device) {
  OpRecord record = describe(OpWork{entry.name, request, device.name()});
  // With gradients, products are three: one forward, two backward.
  record.flop = entry.flop(request.sizes) * (request.direction == OpDirection::kForward ? 1 : 3);
  return record;
}

Verdict shortage(const std::string& whose, Reading<Bytes> needed, const Reading<Bytes>& available) {
  if (!needed.has_value() || !available.has_value() || needed.value() <= available.value()) return {};
  return {RowStatus::kSkipped, fmt::format("needs {} of {} memory, {} are free", byte_text(needed.value()),
                                           whose, byte_text(available.value()))};
}

Verdict check_memory(const OpEntry& entry, const OpRequest& request, const Device& device, OpRecord& record) {
  const bool is_on_cpu = device.name() == "cpu";
  const RowMemory memory = row_memory(entry, request, is_on_cpu);
  record.needed_host = Bytes{memory.host};
  record.needed_device = is_on_cpu ? Reading<Bytes>(absent("the row is on the host")) : Bytes{memory.device};
  if (Verdict verdict = shortage("host", record.needed_host, available_memory()); !verdict.is_ok()) {
    return verdict;
  }
  return shortage("device", record.needed_device, device.free_memory());
}

Verdict run(const OpEntry& entry, const OpRequest& request, Device& device, const Clock& clock,
            OpRecord& record) {
  if (Verdict verdict = check_memory(entry, request, device, record); !verdict.is_ok()) return verdict;
  OpCall call(entry, request.sizes, row_inputs(entry, request, device.name()));
  if (Verdict verdict = check_call(entry, request, call, device, record); !verdict.is_ok()) return verdict;
  OpRow row{request, call, Spots(call.outputs()), [&] { return check_outputs(entry, request, call, record); },
            device,  clock};
  if (Verdict verdict = time_calls(row, record); !verdict.is_ok()) return verdict;
  time_in_graph(row, record);
  return {};
}

/// Some operations make floating-point numbers on the way and then find that they do not go with whole ones.
bool is_about_types(const std::string& message) { return message.find("dtype") != std::string::npos; }

Verdict verdict_of(const Failure& failure, OpType type) {
  if (failure.status == RowStatus::kOutOfMemory) return {RowStatus::kOutOfMemory, failure.message};
  const bool is_unsupported = failure.status == RowStatus::kUnsupported;
  if (is_unsupported || (is_whole(type) && is_about_types(failure.message))) {
    return {RowStatus::kUnsupported, failure.message};
  }
  return {RowStatus::kError, failure.message};
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
  Verdict verdict;
  try {
    verdict = run(entry, request, device, clock, record);
  } catch (const std::exception& error) {
    verdict = verdict_of(classify(error), request.type);
  }
  record.status = verdict.status;
  record.status_reason = verdict.message;
  return record;
}

}  // namespace gpubench
