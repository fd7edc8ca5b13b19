#pragma once
// The one way in which gpubench times work on a device.

#include "gpubench/core/clock.h"
#include "gpubench/device.h"

namespace gpubench {

/// Opens when it is made and closes once. The device is idle at both ends, so the window holds all of the
/// work that was queued inside it and nothing else. Device and clock must outlive it.
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

}  // namespace gpubench
