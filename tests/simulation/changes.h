#pragma once
// How often changes are found in series of runs where there is none, and where there is one.

#include "simulation/tables.h"

namespace gpubench::test {

/// Prints the tables of docs/research/change-points.md, of `draws.count` series each. Returns whether false
/// alarms and power are within the limits that this page promises.
bool print_changes(const Draws& draws);

}  // namespace gpubench::test
