#pragma once
// Whether a machine goes on as fast as it begins.

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// A row for each case that lasted long enough to tell (see sustained_speed()), with the state of its device
/// at first and later where that was read. Without rows where there is none.
Table sustained_table(const RunRecord& run);

}  // namespace gpubench
