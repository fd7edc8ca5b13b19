#pragma once
// Times the phases of a case, each in a window of its own, and keeps them in order.

#include <string>
#include <vector>

#include "engine/timing/window.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Starts when it is made. Device, clock and `phases` outlive it.
class Timeline {
 public:
  Timeline(Device& device, const Clock& clock, std::vector<Phase>& phases)
      : device_(device), clock_(clock), phases_(phases), origin_(clock.now()) {}

  /// When it was made, on its clock.
  Seconds origin() const { return origin_; }

  /// Runs `work` in a timed window, notes the phase and returns how long it took.
  template <class Work>
  Seconds time(std::string name, Work&& work) {
    phases_.push_back(measure(std::move(name), std::forward<Work>(work)));
    return phases_.back().duration;
  }

  /// The same, for whoever notes the phase.
  template <class Work>
  Phase measure(std::string name, Work&& work) const {
    const Seconds start = clock_.now() - origin_;
    TimedWindow window(device_, clock_);
    work();
    return {std::move(name), start, window.close()};
  }

 private:
  Device& device_;
  const Clock& clock_;
  std::vector<Phase>& phases_;
  Seconds origin_;
};

}  // namespace gpubench
