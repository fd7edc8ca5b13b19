#pragma once
// Tables of `gpubench peak` and `selftest`, which `show` prints too.

#include <string>
#include <vector>

#include "gpubench/record/machine_records.h"

namespace gpubench {

std::string peak_table(const std::vector<PeakPoint>& points);

/// A line for each check, and the number of each status.
std::string selftest_table(const std::vector<CheckRow>& checks);

}  // namespace gpubench
