#pragma once

#include <string>
#include <vector>

#include "gpubench/record/machine_records.h"

namespace gpubench {

std::string peak_table(const std::vector<PeakPoint>& points);

/// "cpu: gemm fp32 1024: 143 GFLOP/s", for progress.
std::string point_text(const std::string& device, const PeakPoint& point);

/// A line for each check, and the number of each status.
std::string selftest_table(const std::vector<CheckRow>& checks);

}  // namespace gpubench
