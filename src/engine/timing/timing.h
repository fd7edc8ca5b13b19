#pragma once
// Times work on a device: timed windows around calls, and time stamps between the blocks of an epoch.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "gpubench/device.h"

namespace gpubench {

/// Returns the time of `work`, including the work that it queues. Synchronizes the device before and after.
template <class Work>
Seconds time_work(Device& device, const Clock& clock, Work work) {
  device.synchronize();
  const Seconds start = clock.now();
  work();
  device.synchronize();
  return clock.now() - start;
}

struct SamplingPolicy {
  Seconds window{0.05};     ///< Minimum length of a timed window, which repeats the call as needed.
  Seconds limit{4};         ///< Time limit; no window starts after it, except the first.
  int windows_in_vain = 5;  ///< Number of windows in a row without a 1 % improvement that end the search.
};

/// Returns the time of a call in the best window. The first call is not timed because it loads kernels.
Seconds best_call_time(Device& device, const Clock& clock, const SamplingPolicy& policy,
                       const std::function<void()>& work);

/// Usual maximum number of blocks of an epoch.
inline constexpr std::int64_t kEpochBlocks = 10;

/// Returns the last step of each of up to kEpochBlocks equal, non-empty blocks. The first `replayed` steps
/// are replayed in parts of `part` steps, at the ends of which their blocks end; these are at least
/// kEpochBlocks parts, or parts of one step.
std::vector<std::int64_t> block_ends(std::int64_t steps, std::int64_t replayed = 0, std::int64_t part = 1);

/// Time stamps of the blocks of an epoch. Never waits for the device.
class BlockStamps {
 public:
  /// `device` and `clock` outlive this.
  BlockStamps(Device& device, const Clock& clock) : marks_(device.make_marks(clock, kEpochBlocks + 1)) {}
  /// Makes a block of each of `steps` steps, by the host's clock: the device has no queued work after a step.
  BlockStamps(const Clock& clock, std::int64_t steps);

  /// Sets the ends of blocks, from block_ends(). Call before the first epoch.
  void divide(std::vector<std::int64_t> ends) { ends_ = std::move(ends); }

  /// Returns the number of steps of each block; empty if the device does not support marks.
  std::vector<std::int64_t> block_steps() const;

  // Call at the start of an epoch, when its first `steps` steps are queued, and when the epoch is queued.
  void begin_epoch() { mark(0); }
  void reach(std::int64_t steps);
  void end_epoch() { mark(ends_.size()); }

  /// Returns the block times of the last epoch; empty without marks. Synchronize the device first.
  std::vector<double> seconds() const;

 private:
  void mark(std::size_t number) {
    if (marks_) marks_->mark(number);
  }

  std::unique_ptr<DeviceMarks> marks_;  // Mark 0 is the start of the epoch, mark n the end of block n.
  std::vector<std::int64_t> ends_;
};

}  // namespace gpubench
