#pragma once
// What a device did for the steps of a profile, and for which part of them.

#include <string_view>
#include <vector>

#include "engine/profile/shares.h"
#include "engine/profile/study.h"

namespace gpubench {

/// A kernel, copy or fill.
struct DeviceWork {
  Interval when;
  std::string_view phase;  ///< In which it was launched, or kOtherPhase.
  std::string_view kind;   ///< Of the operation that launched it, as of kind_in_phase.
};

/// All work that was launched in the steps, or that shows no launch and was done after they began. Its phase
/// is that of the launch, whatever the thread and whenever the device came to it.
std::vector<DeviceWork> work_of_steps(const ProfileStudy& study);

}  // namespace gpubench
