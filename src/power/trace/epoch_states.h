#pragma once
// Temperature, clock, power limit and throttling in each epoch.

#include <vector>

#include "power/log/trace.h"

namespace gpubench::power {

/// Fills the `epoch_` lists of `energy` other than its joules; NaN or empty where nothing was read.
void describe_epochs(EnergyRecord& energy, const PowerTrace& trace, const std::vector<TimeSpan>& epochs);

}  // namespace gpubench::power
