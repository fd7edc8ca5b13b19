#pragma once
// Rates of false alarms and of detected changes in series of runs.

#include "simulation/tables.h"

namespace gpubench::test {

/// Prints the tables of docs/research/change-points.md, with `draws.count` series each. Returns true if false
/// alarms and power are within the limits of that page.
bool print_changes(const Draws& draws);

}  // namespace gpubench::test
