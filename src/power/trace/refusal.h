#pragma once
// Why a trace gives no figure.

#include <span>
#include <string>

#include "power/trace/series.h"

namespace gpubench::power {

/// What the source last said where it did not answer, within the windows if it did so there.
std::string refusal_in(const PowerTrace& trace, std::span<const TimeSpan> windows);

/// How often a stuck source showed its last value; 0 for one that is not stuck. `resolution` is that of the
/// readings.
std::size_t stuck_repeats(const Series& readings, const Cadence& cadence, double resolution,
                          std::span<const TimeSpan> windows, bool is_replayed);

}  // namespace gpubench::power
