#pragma once
// What sensors of power themselves get wrong. Of one and the same sensor, or of two of a kind, that falls out
// of a ratio; between unlike boards it does not.

#include <vector>

#include "compare/comparability.h"
#include "compare/contender.h"
#include "gpubench/core/stats/estimate.h"

namespace gpubench {

/// What the ratio of two equal energies would be shown as: 1, and exactly that where the model of the device
/// and the source of power are the same. Otherwise with the 95 % interval that the errors of both sensors
/// make, taken as independent; without an interval where one of them is not known. docs/meters.md has them.
Estimate sensors_ratio(const ContenderRow& over, const ContenderRow& under);

/// A caveat where that has no interval.
std::vector<Difference> sensor_differences(const ContenderRow& left, const ContenderRow& right);

}  // namespace gpubench
