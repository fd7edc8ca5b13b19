#pragma once
// All that a run measured, for files of values.

#include <string>

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// A row a case: `name`, then every field that holds a single value, in base units, called by its key in
/// result files. The columns are the same for all runs. What is absent is an empty cell.
Table run_data(const RunRecord& run, const std::string& name);

}  // namespace gpubench
