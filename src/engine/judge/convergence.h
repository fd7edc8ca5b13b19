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

/// Why a run with these losses did no work; empty where it did, or where a single epoch cannot tell: the loss
/// of the last epoch is that of the first to seven digits.
std::string standstill(std::span<const double> epoch_losses);

inline constexpr std::int64_t kJudgedSteps = 200;

}  // namespace gpubench
