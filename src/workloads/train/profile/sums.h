#pragma once
// Time of training steps by phase and kind of layer, independent of the profiler; see docs/profile.md.

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

/// A stretch of time on a thread of the host, or on the device.
struct ProfileEvent {
  enum class What {
    kScope,       ///< A part of a step, as the trainer marked it.
    kOperation,   ///< Of LibTorch: "aten::addmm"; or a node of autograd: "AddmmBackward0".
    kLaunch,      ///< The host's call that queued work on the device.
    kDeviceWork,  ///< A kernel, a copy or a fill on the device.
  };

  What what = What::kOperation;
  std::string name;
  std::uint64_t thread = 0;  ///< Of the host; undefined for work of the device.
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;

  std::uint64_t id = 0;            ///< Of an operation; unique among operations, 0 if unknown.
  std::uint64_t operation_id = 0;  ///< Of work: the `id` of the operation that queued it, 0 if unknown.
  std::uint64_t launch_id = 0;     ///< Shared by a launch and the work that it queued; 0 for others.

  std::int64_t end_ns() const { return start_ns + duration_ns; }
};

/// Times of one step, the mean of several.
struct StepProfile {
  /// Seconds of "input", "forward", "backward", "optimizer" and "other"; together the whole step.
  NamedValues phases;

  /// Seconds of the kinds of layers that occur; together they are the time in operations.
  NamedValues layers;
};

enum class ProfileTarget {
  kHost,    ///< Times of the host's scopes and operations, which do the work themselves.
  kDevice,  ///< Times of the device's work, by the operation that launched it; its idle time is "other".
};

/// Returns the profile of a step. Missing if `events` has no step, or, for kDevice, no work of the device.
Measured<StepProfile> make_profile(const std::vector<ProfileEvent>& events, ProfileTarget target);

}  // namespace gpubench
