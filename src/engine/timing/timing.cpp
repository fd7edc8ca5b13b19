#include "engine/timing/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gpubench {
namespace {

constexpr double kGain = 0.01;
constexpr std::int64_t kMostCalls = 1 << 20;

Seconds time_calls(Device& device, const Clock& clock, const std::function<void()>& work,
                   std::int64_t calls) {
  TimedWindow window(device, clock);
  for (std::int64_t i = 0; i < calls; ++i) work();
  return window.close();
}

/// A little more than fill the window, so that the next one is long enough too where calls get faster.
std::int64_t calls_for(Seconds window, Seconds call) {
  if (call.value * kMostCalls <= window.value) return kMostCalls;
  return static_cast<std::int64_t>(std::ceil(1.1 * window.value / call.value));
}

}  // namespace

Seconds best_call_time(Device& device, const Clock& clock, const Patience& patience,
                       const std::function<void()>& work) {
  work();
  device.synchronize();
  const Seconds start = clock.now();
  Seconds best{std::numeric_limits<double>::infinity()};
  Seconds call;
  std::int64_t calls = 1;
  int in_vain = 0;
  do {
    const Seconds duration = time_calls(device, clock, work, calls);
    call = {duration.value / static_cast<double>(calls)};
    if (duration < patience.window && calls < kMostCalls) {
      calls = calls_for(patience.window, call);
    } else {
      in_vain = call.value >= (1 - kGain) * best.value ? in_vain + 1 : 0;
      best = std::min(best, call);
    }
  } while (in_vain < patience.windows_in_vain && clock.now() - start < patience.limit);
  // Work that got faster all the time filled no window.
  return std::isfinite(best.value) ? best : call;
}

}  // namespace gpubench
