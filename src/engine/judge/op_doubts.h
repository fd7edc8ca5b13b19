#pragma once
// Whether the times of a row can be believed. No LibTorch.

#include <optional>
#include <span>

#include "gpubench/record/warning.h"

namespace gpubench {

/// Whether a result had to be waited for so long after each window that the device had not been done when the
/// window closed. All in seconds, one of each a sample.
bool was_still_busy(std::span<const double> windows, std::span<const double> waits);

/// Where the device's own clock and the host's, which timed the same windows, do not agree; nothing where
/// they do, and for windows so short that starting and stopping count. The figure says how many times apart
/// they are.
std::optional<Warning> clock_warning(std::span<const double> device_seconds,
                                     std::span<const double> host_seconds);

}  // namespace gpubench
