#pragma once
// Figures that cannot be true.

#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// Why the rate of the case is above what its device can do, as `environment` has measured it; empty where it
/// is not, or where one of the figures is missing.
std::string implausible_rate(const CaseRecord& record, const Environment& environment);

}  // namespace gpubench
