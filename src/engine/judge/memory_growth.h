#pragma once
// Whether a case took more memory with every epoch, which in a longer run ends badly.

#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// A warning each for host and device where memory grows steadily after the warm-up, its figure the bytes an
/// epoch: "host memory grew by 12.3 MiB an epoch over the last 8 epochs". At least 4 epochs are needed, and
/// growth of more than 1 MiB and 0.1 % an epoch; memory that rises once, or rises and falls, does not grow.
std::vector<Warning> growth_warnings(const CaseRecord& record);

}  // namespace gpubench
