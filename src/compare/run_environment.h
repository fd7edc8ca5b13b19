#pragma once
// Where a run was made, as tables.

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Tool, machine, devices with their peaks, and datasets with where their files come from. Without blocks for
/// a run of which nothing of this is known.
Section environment_section(const RunRecord& run);

/// The same of what no run was made with, such as a table of operations.
Section environment_section(const ToolRecord& tool, const Environment& environment);

}  // namespace gpubench
