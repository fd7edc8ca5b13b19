#include "engine/timing/timing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gpubench {

Seconds best_call_time(Device& device, const Clock& clock, const SamplingPolicy& policy,
                       const std::function<void()>& work) {
  constexpr double kGain = 0.01;
  constexpr double kMaxCalls = 1 << 20;
  work();
  device.synchronize();
  const Seconds start = clock.now();
  Seconds best{std::numeric_limits<double>::infinity()};
  Seconds call;
  std::int64_t calls = 1;
  int in_vain = 0;
  do {
    const Seconds duration = time_work(device, clock, [&] {
      for (std::int64_t i = 0; i < calls; ++i) work();
    });
    call = {duration.value / static_cast<double>(calls)};
    if (duration < policy.window && static_cast<double>(calls) < kMaxCalls) {
      // Aims slightly above the window, since later calls may be faster.
      const double wanted = std::ceil(1.1 * policy.window.value / call.value);
      calls = static_cast<std::int64_t>(std::min(wanted, kMaxCalls));
    } else {
      in_vain = call.value >= (1 - kGain) * best.value ? in_vain + 1 : 0;
      best = std::min(best, call);
    }
  } while (in_vain < policy.windows_in_vain && clock.now() - start < policy.limit);
  // No window was full if the calls kept getting faster.
  return std::isfinite(best.value) ? best : call;
}

std::vector<std::int64_t> block_ends(std::int64_t steps, std::int64_t replayed, std::int64_t part) {
  const std::int64_t count = std::min(steps, kEpochBlocks);
  std::vector<std::int64_t> ends;
  for (std::int64_t block = 1; block <= count; ++block) {
    const std::int64_t end = block * steps / count;
    ends.push_back(end < replayed ? end - end % part : end);
  }
  return ends;
}

BlockStamps::BlockStamps(const Clock& clock, std::int64_t steps)
    : marks_(std::make_unique<ClockMarks>(clock, static_cast<std::size_t>(steps) + 1)),
      ends_(static_cast<std::size_t>(steps)) {
  std::iota(ends_.begin(), ends_.end(), 1);
}

std::vector<std::int64_t> BlockStamps::block_steps() const {
  if (!marks_) return {};
  std::vector<std::int64_t> steps;
  std::adjacent_difference(ends_.begin(), ends_.end(), std::back_inserter(steps));
  return steps;
}

void BlockStamps::reach(std::int64_t steps) {
  const auto end = std::ranges::lower_bound(ends_, steps);
  // end_epoch() marks the end of the last block: an epoch does more than its steps.
  if (end == ends_.end() || *end != steps || end + 1 == ends_.end()) return;
  mark(static_cast<std::size_t>(end - ends_.begin()) + 1);
}

std::vector<double> BlockStamps::seconds() const {
  std::vector<double> seconds;
  if (!marks_) return seconds;
  for (std::size_t block = 0; block < ends_.size(); ++block) {
    const Measured<Seconds> duration = marks_->between(block, block + 1);
    if (!duration.has_value()) return {};
    seconds.push_back(duration.value().value);
  }
  return seconds;
}

}  // namespace gpubench
