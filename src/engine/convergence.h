#pragma once
// Whether a training went the right way.

#include <cstdint>
#include <span>
#include <string>

namespace gpubench {

/// Why a run with these losses, the mean of each epoch in order, has diverged; empty where it has not. A loss
/// that is not finite always counts. One that did not fall counts from kJudgedSteps steps on: before that it
/// is chance.
std::string divergence(std::span<const double> epoch_losses, std::int64_t steps_per_epoch);

inline constexpr std::int64_t kJudgedSteps = 200;

}  // namespace gpubench
