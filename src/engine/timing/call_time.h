#pragma once
// How long one call of some work takes where nothing disturbs it.

#include <functional>

#include "gpubench/core/clock.h"
#include "gpubench/device.h"

namespace gpubench {

/// How long to look for it.
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
