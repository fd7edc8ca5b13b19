#pragma once
// Times work on a device: windows around calls, and time stamps between the blocks of an epoch.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "gpubench/device.h"

namespace gpubench {

/// Returns how long `work` and all that it queues take. The device is idle before and after.
template <class Work>
Seconds time_work(Device& device, const Clock& clock, Work work) {
  device.synchronize();
  const Seconds start = clock.now();
  work();
  device.synchronize();
  return clock.now() - start;
}

struct SamplingPolicy {
  Seconds window{0.05};     ///< Least length of a timed window; it holds as many calls as needed.
  Seconds limit{4};         ///< Time after the first window at which no further one opens.
  int windows_in_vain = 5;  ///< Windows in a row, none 1 % better than the best, that end the search.
};

/// Returns the time in the best window, at least one. The first call is not timed: it loads kernels.
Seconds best_call_time(Device& device, const Clock& clock, const SamplingPolicy& policy,
                       const std::function<void()>& work);

/// Blocks of an epoch with at least as many steps.
inline constexpr std::int64_t kEpochBlocks = 10;

/// Returns the step at the end of each of up to kEpochBlocks equal blocks, none empty. Blocks of the first
/// `replayed` steps end between parts of `part` steps: at least kEpochBlocks parts, or of one step.
std::vector<std::int64_t> block_ends(std::int64_t steps, std::int64_t replayed = 0, std::int64_t part = 1);

/// Stamps the blocks of one epoch after the other. Never waits for the device.
class BlockStamps {
 public:
  /// `device` and `clock` outlive it.
  BlockStamps(Device& device, const Clock& clock) : marks_(device.make_marks(clock, kEpochBlocks + 1)) {}

  /// Sets the ends of blocks, as block_ends() returns them. Call it before any epoch.
  void divide(std::vector<std::int64_t> ends) { ends_ = std::move(ends); }

  /// Returns the steps of each block of an epoch; none if the device makes no marks.
  std::vector<std::int64_t> block_steps() const;

  // Call when the epoch begins, when its first `steps` steps are queued, and when all of it is queued.
  void begin_epoch() { mark(0); }
  void reach(std::int64_t steps);
  void end_epoch() { mark(ends_.size()); }

  /// Returns the block times of the last epoch after synchronization. None if the device makes no marks.
  std::vector<double> seconds() const;

 private:
  void mark(std::size_t number) {
    if (marks_) marks_->mark(number);
  }

  std::unique_ptr<DeviceMarks> marks_;  // 0 is where an epoch begins, 1 the end of its first block.
  std::vector<std::int64_t> ends_;
};

}  // namespace gpubench
