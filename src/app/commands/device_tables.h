#pragma once
// Tables of `gpubench peak` and `gpubench selftest`, which `gpubench show` also prints.

#include <string>
#include <vector>

#include "gpubench/record/machine_records.h"

namespace gpubench {

std::string peak_table(const std::vector<PeakPoint>& points);

/// Returns a line per check, and the number of checks by status.
std::string selftest_table(const std::vector<CheckRow>& checks);

}  // namespace gpubench
