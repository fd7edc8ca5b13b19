#pragma once
// Time of training steps by phase and kind of layer, independent of the profiler; see docs/timing.md.

#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"

namespace gpubench {

inline constexpr const char* kStepScope = "gpubench.step";
inline constexpr const char* kInputScope = "gpubench.input";
inline constexpr const char* kForwardScope = "gpubench.forward";
inline constexpr const char* kBackwardScope = "gpubench.backward";
inline constexpr const char* kOptimizerScope = "gpubench.optimizer";

/// Interval of time on a host thread or on the device.
struct ProfileEvent {
  enum class What {
    kScope,       ///< Part of a step that the trainer marked.
    kOperation,   ///< Operation of LibTorch ("aten::addmm") or node of autograd ("AddmmBackward0").
    kLaunch,      ///< Host call that queued work on the device.
    kDeviceWork,  ///< Kernel, copy or fill on the device.
  };

  What what = What::kOperation;
  std::string name;
  std::uint64_t thread = 0;  ///< Host thread; undefined for device work.
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;

  std::uint64_t id = 0;            ///< Unique id of an operation; 0 if unknown.
  std::uint64_t operation_id = 0;  ///< For device work: `id` of the operation that queued it; 0 if unknown.
  std::uint64_t launch_id = 0;     ///< Common to a launch and its device work; 0 for others.

  std::int64_t end_ns() const { return start_ns + duration_ns; }
};

/// Mean times per step.
struct StepProfile {
  /// Seconds of "input", "forward", "backward", "optimizer" and "other". Their sum is the step.
  NamedValues phases;

  /// Seconds per kind of layer that occurs. Their sum is the time in operations.
  NamedValues layers;
};

enum class ProfileTarget {
  kHost,    ///< Times of scopes and operations on the host.
  kDevice,  ///< Times of device work, by the operation that launched it; idle time is "other".
};

/// Returns the mean profile of the steps. Missing without steps or, for kDevice, without device work.
Measured<StepProfile> make_profile(const std::vector<ProfileEvent>& events, ProfileTarget target);

}  // namespace gpubench
