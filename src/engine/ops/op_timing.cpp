#include "engine/ops/op_timing.h"

#include <vector>

#include "engine/op_doubts.h"
#include "engine/ops/op_sampler.h"
#include "gpubench/core/stats.h"

namespace gpubench {
namespace {

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
    return {OpStatus::kWrong, "the device was still computing when it had said that it was done"};
  }
  note(windows, calls, record);
  return {};
}

}  // namespace gpubench
