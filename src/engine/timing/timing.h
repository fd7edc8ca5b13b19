#pragma once
// Times work on a device: windows around calls, and time stamps between the blocks of an epoch.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpubench/core/clock.h"
#include "gpubench/device.h"

namespace gpubench {

/// The one way to do it. Opens when it is made and closes once. The device is idle at both ends, so the
/// window holds all of the work that was queued inside it and nothing else. Device and clock must outlive it.
class TimedWindow {
 public:
  TimedWindow(Device& device, const Clock& clock) : device_(device), clock_(clock) {
    device_.synchronize();
    start_ = clock_.now();
  }

  /// Waits for the device and returns the time since opening.
  Seconds close() {
    device_.synchronize();
    return clock_.now() - start_;
  }

 private:
  Device& device_;
  const Clock& clock_;
  Seconds start_;
};

/// How long to look for the time of a call that nothing disturbs.
struct SamplingPolicy {
  Seconds window{0.05};     ///< Length of a timed window, which holds as many calls as that takes.
  Seconds limit{4};         ///< No window is opened so long after the first one.
  int windows_in_vain = 5;  ///< The end comes after so many in a row that are not 1 % better than the best.
};

/// Time of a call in the best window. One call before the first window is not timed: it loads kernels. Always
/// measures at least one window, however slow the work is.
Seconds best_call_time(Device& device, const Clock& clock, const SamplingPolicy& patience,
                       const std::function<void()>& work);

/// Blocks that an epoch is divided into where it has as many steps.
inline constexpr std::int64_t kEpochBlocks = 10;

/// How many steps of an epoch are done at the end of each of its blocks, in order; the last is `steps`. There
/// are kEpochBlocks of them, of as many steps each as can be, but no block without a step. Where the first
/// `replayed` steps are made in parts of `part` each, at least kEpochBlocks or of one step, blocks end
/// between the parts.
std::vector<std::int64_t> block_ends(std::int64_t steps, std::int64_t replayed = 0, std::int64_t part = 1);

/// Stamps the blocks of one epoch after the other. Never waits for the device.
class BlockStamps {
 public:
  /// `device` and `clock` outlive it.
  BlockStamps(Device& device, const Clock& clock);

  /// Says where blocks end, as block_ends() does. To be called before any epoch.
  void divide(std::vector<std::int64_t> ends);

  /// Blocks of an epoch; absent, with the reason, where the device makes no marks.
  Measured<std::int64_t> blocks_per_epoch() const;

  /// Steps of each block of an epoch; none where there are no marks.
  std::vector<std::int64_t> block_steps() const;

  // The epoch begins, has its first `steps` steps queued, and is queued as a whole.
  void begin_epoch() { mark(0); }
  void reach(std::int64_t steps);
  void end_epoch() { mark(ends_.size()); }

  /// Of each block of the last epoch, in order, once the device has been waited for: together the epoch. None
  /// where the device makes no marks, or cannot tell for once.
  std::vector<double> seconds() const;

 private:
  void mark(std::size_t number) {
    if (marks_) marks_->mark(number);
  }

  Device& device_;
  std::unique_ptr<DeviceMarks> marks_;  // 0 is where an epoch begins, 1 the end of its first block.
  std::vector<std::int64_t> ends_;
};

}  // namespace gpubench
