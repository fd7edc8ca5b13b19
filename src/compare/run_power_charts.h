#pragma once
// Power over time, and what state a device was in epoch by epoch.

#include <vector>

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Of the few longest cases whose power was read, a chart each with a line a source.
std::vector<Chart> power_charts(const RunRecord& run);

/// Temperature and clock of the longest cases by epoch, where they were read.
std::vector<Chart> state_charts(const RunRecord& run);

}  // namespace gpubench
