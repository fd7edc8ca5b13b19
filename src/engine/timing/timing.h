#pragma once
// How gpubench times work on a device.

#include <functional>

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
struct Patience {
  Seconds window{0.05};     ///< Length of a timed window, which holds as many calls as that takes.
  Seconds limit{4};         ///< No window is opened so long after the first one.
  int windows_in_vain = 5;  ///< The end comes after so many in a row that are not 1 % better than the best.
};

/// Time of a call in the best window. One call before the first window is not timed: it loads kernels. Always
/// measures at least one window, however slow the work is.
Seconds best_call_time(Device& device, const Clock& clock, const Patience& patience,
                       const std::function<void()>& work);

}  // namespace gpubench
