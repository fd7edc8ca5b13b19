#include "engine/ops/op_timing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "device/host/host.h"
#include "engine/judge/doubts.h"
#include "engine/timing/timing.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

/// Owns memory on the device that is larger than its caches.
class CacheFlush {
 public:
  explicit CacheFlush(const std::string& device);

  /// Queues the writing of all of it.
  void run();

 private:
  at::Tensor ballast_;
};

/// More than any GPU's second-level cache of today (126 MiB in a B200), and more than most processors have.
constexpr std::int64_t kLeastBytes = std::int64_t{256} << 20;

std::int64_t ballast_bytes(c10::Device device) {
  const Reading<Bytes> cache = last_level_cache();
  if (!device.is_cpu() || !cache.has_value()) return kLeastBytes;
  return std::max(kLeastBytes, 2 * cache.value().value);
}

CacheFlush::CacheFlush(const std::string& device)
    : ballast_(at::empty({ballast_bytes(c10::Device(device))},
                         at::TensorOptions(c10::Device(device)).dtype(at::kByte))) {}

void CacheFlush::run() { ballast_.zero_(); }

/// One timed window.
struct OpSample {
  Seconds host;
  Reading<Seconds> device{};  ///< By the device's own clock.

  Seconds best_known() const { return device.has_value() ? device.value() : host; }
};

/// Takes samples of one row. What it is made with must outlive it.
class OpSampler {
 public:
  OpSampler(OpCall& call, const OpRequest& request, Device& device, const Clock& clock);

  /// A window of so many calls, with caches full of other data before it where the row wants that.
  OpSample take(std::int64_t calls);

  /// So many calls that a sample is as long as the row wants; one where caches are to be cold, since only the
  /// first call would find them so.
  std::int64_t calls_for_sample();

  /// Takes samples until one is like the one before, or until all have taken a part of the row's time.
  void warm_up(std::int64_t calls);

 private:
  OpCall& call_;
  const OpEffort& effort_;
  Device& device_;
  const Clock& clock_;
  std::unique_ptr<DeviceTimer> timer_;
  std::optional<CacheFlush> flush_;
  Seconds spent_;  // In all samples so far.
};

constexpr std::int64_t kMostCalls = 1 << 20;
constexpr double kStable = 0.03;
constexpr double kPauses = 20;
constexpr double kWarmUpPart = 0.25;

OpSampler::OpSampler(OpCall& call, const OpRequest& request, Device& device, const Clock& clock)
    : call_(call), effort_(request.effort), device_(device), clock_(clock), timer_(device.make_timer()) {
  if (request.cache == OpCache::kCold) flush_.emplace(device.name());
}

OpSample OpSampler::take(std::int64_t calls) {
  if (flush_) flush_->run();
  TimedWindow window(device_, clock_);
  if (timer_) timer_->start();
  for (std::int64_t i = 0; i < calls; ++i) call_.make();
  if (timer_) timer_->stop();
  OpSample sample{window.close()};
  spent_ = spent_ + sample.host;
  if (timer_) sample.device = timer_->elapsed();
  return sample;
}

std::int64_t OpSampler::calls_for_sample() {
  const double wanted = effort_.sample.value;
  std::int64_t calls = 1;
  while (!flush_ && calls < kMostCalls) {
    double took = take(calls).host.value;
    // A pause of the machine makes a sample longer; not so a second time, or hardly, where it is much longer.
    if (took >= wanted && took < kPauses * wanted) took = std::min(took, take(calls).host.value);
    if (took >= wanted) break;
    const double factor = took > 0 ? std::min(10.0, 1.2 * wanted / took) : 10;
    calls = std::min(kMostCalls, static_cast<std::int64_t>(std::ceil(static_cast<double>(calls) * factor)));
  }
  return calls;
}

void OpSampler::warm_up(std::int64_t calls) {
  double before = 0;
  while (spent_.value < kWarmUpPart * effort_.limit.value) {
    const double now = take(calls).best_known().value;
    if (std::abs(now - before) <= kStable * before) return;
    before = now;
  }
}

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

}  // namespace

Verdict time_calls(OpRow& row, OpRecord& record) {
  const OpEffort& effort = row.request.effort;
  OpSampler sampler(row.call, row.request, row.device, row.clock);
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

}  // namespace gpubench
