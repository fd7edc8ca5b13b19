#pragma once
// How long cases will take, as far as that can be known before any is tried. No LibTorch.

#include "engine/api/model_cost.h"
#include "engine/plan/plan.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// What a case is expected to take.
struct Forecast {
  std::int64_t epochs;  ///< Their number where it is fixed; else what the target takes at least.
  Seconds training;     ///< Epochs and evaluation; the start of the process comes on top.
};

/// The counted work of the case's steps at the measured peaks of its device, as if arithmetic, memory traffic
/// and launches took turns. `planned` is the row of the case. Absent, with the reason, where a peak is
/// unknown or ranks exchange gradients.
Reading<Forecast> forecast(const Case& c, CaseRecord planned, const StepCosts& costs,
                           const Environment& environment);

}  // namespace gpubench
