#pragma once
// What a planned run can be asked besides its results: what it would cost, and how large a batch may be.

#include "app/execution.h"

namespace gpubench {

/// `--dry-run`: a row for each case with its expected time and memory.
ExitCode run_dry(PlanExecution& execution);

/// `--find-max-batch`: a row for each model, device and mode. The smallest batch size of the plan is where
/// the search begins.
ExitCode run_max_batch(PlanExecution& execution);

}  // namespace gpubench
