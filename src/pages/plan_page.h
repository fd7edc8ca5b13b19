#pragma once
// How many processes and epochs a run needs to know its medians to a margin, judged by what it has shown.

#include <string>

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// The page about `run`, which was read from the file called `name`: how to run its cases so that their
/// medians are known to `margin`, a part of them above 0, and what that takes; then a row a case. Its data
/// has the same in base units. Never throws for what a record holds.
Page plan_page(const RunRecord& run, const std::string& name, double margin);

}  // namespace gpubench
