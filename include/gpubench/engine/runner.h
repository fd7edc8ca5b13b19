#pragma once
// Runs cases: builds, trains, times, evaluates, and records whatever happens.

#include <functional>

#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"
#include "gpubench/engine/plan.h"
#include "gpubench/engine/progress.h"

namespace gpubench {

/// What a run needs from outside. All of it outlives the run.
struct RunServices {
  const Clock& clock;
  Progress& progress;
  /// The samples of a case; called before its timed parts. May throw an Error, which ends the run.
  std::function<const Dataset&(const Case&)> dataset_of;
  /// Called after each case with the run so far, e.g. to write it to disk.
  std::function<void(const RunRecord&)> keep;
};

/// Trains one case. Never throws for what goes wrong in it: the row's status and message say so.
CaseRecord run_case(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                    Progress& progress);

/// Runs all cases and appends their rows to `run`. A failing case is a row; the rest goes on.
void run_plan(const std::vector<Case>& cases, const RunServices& services, RunRecord& run);

}  // namespace gpubench
