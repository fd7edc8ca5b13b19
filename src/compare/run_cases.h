#pragma once
// The cases of a run as tables.

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// A row a case, with its status coloured and the reason of what failed noted; where there are any, repeats
/// and what a publication states beyond. A sentence where there is no case.
Section cases_section(const RunRecord& run);

}  // namespace gpubench
