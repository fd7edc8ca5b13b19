#pragma once
// Where the time of training steps went: sums over what a profiler saw, without the profiler's own types. How
// they are made: docs/profile.md.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/record/environment.h"

namespace gpubench {

// Kinds that are given by the phase, or where nothing else is known.
inline constexpr std::string_view kInputKind = "input";
inline constexpr std::string_view kOptimizerKind = "optimizer";
inline constexpr std::string_view kOtherKind = "other";

/// All kinds in the order in which results list them.
std::span<const std::string_view> layer_kinds();

/// The kind of an operation or of a node of autograd: "aten::mkldnn_convolution" and "ConvolutionBackward0"
/// are "convolution". Empty where the name tells nothing.
std::string_view layer_kind(std::string_view operation);

/// Whether a layer of this kind is made of operations of other kinds, which then count as this one.
bool is_composite(std::string_view kind);

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
  std::uint64_t thread = 0;  ///< Of the host; means nothing for work of the device.
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;

  std::uint64_t id = 0;            ///< Of an operation; unique among operations, 0 where unknown.
  std::uint64_t operation_id = 0;  ///< Of work: the `id` of the operation that queued it, 0 where unknown.
  std::uint64_t launch_id = 0;     ///< The same for a launch and the work that it queued; 0 for others.

  // An operation of the forward pass shares its sequence with the node of the backward pass that it made, and
  // is the last one of its thread to start that does.
  std::int64_t sequence = -1;        ///< Negative where there is none.
  std::uint64_t forward_thread = 0;  ///< Of a node and of what runs it: its operation's thread; else 0.

  bool is_backward_node() const { return forward_thread != 0; }
  std::int64_t end_ns() const { return start_ns + duration_ns; }
};

/// Around each step.
inline constexpr std::string_view kStepScope = "gpubench.step";

/// What the name of a scope starts with whose rest is the name of a phase, e.g. "forward".
inline constexpr std::string_view kScopePrefix = "gpubench.";

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

/// What a step spent its time on. Missing where there is no step in `events`, or, for kDevice, no work of the
/// device.
Measured<StepProfile> make_profile(const std::vector<ProfileEvent>& events, ProfileTarget target);

}  // namespace gpubench
