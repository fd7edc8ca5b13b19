#pragma once
// A profile with its steps found and its operations sorted by kind: what all sums over it need.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/profile/event.h"
#include "engine/profile/nesting.h"

namespace gpubench {

/// The phases of a step in the order in which results list them; what is in none of them is kOtherPhase.
inline constexpr std::array<std::string_view, 4> kPhases{"input", "forward", "backward", "optimizer"};
inline constexpr std::string_view kOtherPhase = "other";

bool is_operation(const ProfileEvent& event);
bool is_step(const ProfileEvent& event);

/// The phase that the event marks; empty where it marks none.
std::string_view phase_of(const ProfileEvent& event);
bool is_phase(const ProfileEvent& event);

/// The kind of an operation that is `kind` by itself: what is done for input and optimiser is theirs.
std::string_view kind_in_phase(std::string_view phase, std::string_view kind);

/// Looks at `events`, which must outlive it; they are told by their positions in it.
struct ProfileStudy {
  explicit ProfileStudy(const std::vector<ProfileEvent>& all);

  /// The phase in which a step was at that time; empty outside of steps. There must be steps.
  std::string_view phase_at(std::int64_t time_ns) const;

  /// The thread of the steps. Parts that another thread marks would overlap with theirs. There must be steps.
  std::uint64_t thread() const { return events[steps.front()].thread; }

  const std::vector<ProfileEvent>& events;
  Nesting nesting;
  std::vector<std::string_view> kinds;  ///< As operation_kinds.
  std::vector<std::size_t> steps;       ///< By their start, those of one thread.
};

}  // namespace gpubench
