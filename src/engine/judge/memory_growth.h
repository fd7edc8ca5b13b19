#pragma once
// Whether a case took more memory with every epoch, which in a longer run ends badly.

#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// One sentence each for host and device where memory grows steadily after the warm-up: "host memory grew by
/// 12.3 MiB an epoch over the last 8 epochs". At least 4 epochs are needed, and growth of more than 1 MiB and
/// 0.1 % an epoch; memory that rises once, or rises and falls, does not grow.
std::vector<std::string> growth_warnings(const CaseRecord& record);

}  // namespace gpubench
