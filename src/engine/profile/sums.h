#pragma once
// Where the time of training steps went: sums over what a profiler saw. How they are made: docs/profile.md.

#include <cstdint>
#include <vector>

#include "engine/profile/study.h"
#include "gpubench/core/reading.h"
#include "gpubench/record/environment.h"

namespace gpubench {

/// Of one step, as the mean of several.
struct StepProfile {
  std::int64_t steps = 0;  ///< How many were seen.

  /// Seconds of "input", "forward", "backward" and "optimizer", as far as the step marks them, and "other";
  /// together they are the whole step.
  NamedValues phases;

  /// Seconds of the kinds of layers that occur, in the order of layer_kinds(); together they are the time in
  /// operations.
  NamedValues layers;
};

/// Whose time is meant.
enum class ProfileTarget {
  kHost,    ///< That of the host's scopes and operations, which do the work themselves.
  kDevice,  ///< That of the device's work, which belongs to what launched it; its idle time is "other".
};

/// What a step spent its time on. Absent where there is no step in `events`, or, for kDevice, no work of the
/// device.
Reading<StepProfile> profile_of(const std::vector<ProfileEvent>& events, ProfileTarget target);

}  // namespace gpubench
