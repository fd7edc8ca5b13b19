#pragma once
// Whether what was measured can be believed: the way of a training's loss and of its memory, and the times of
// an operation. No LibTorch.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// Why a run with these losses, the mean of each epoch in order, has diverged; empty where it has not. A loss
/// that is not finite always counts. One that did not fall counts from kJudgedSteps steps on: before that it
/// is chance.
std::string divergence(std::span<const double> epoch_losses, std::int64_t steps_per_epoch);

/// Why a run with these losses did no work; empty where it did, or where a single epoch cannot tell: the loss
/// of the last epoch is that of the first to seven digits.
std::string standstill(std::span<const double> epoch_losses);

inline constexpr std::int64_t kJudgedSteps = 200;

/// A warning each for host and device where memory grows steadily after the warm-up, its figure the bytes an
/// epoch: "host memory grew by 12.3 MiB an epoch over the last 8 epochs". At least 4 epochs are needed, and
/// growth of more than 1 MiB and 0.1 % an epoch; memory that rises once, or rises and falls, does not grow.
std::vector<Warning> growth_warnings(const CaseRecord& record);

/// Whether a result had to be waited for so long after each window that the device had not been done when the
/// window closed. All in seconds, one of each a sample.
bool was_still_busy(std::span<const double> windows, std::span<const double> waits);

/// Where the device's own clock and the host's, which timed the same windows, do not agree; nothing where
/// they do, and for windows so short that starting and stopping count. The figure says how many times apart
/// they are.
std::optional<Warning> clock_warning(std::span<const double> device_seconds,
                                     std::span<const double> host_seconds);

}  // namespace gpubench
