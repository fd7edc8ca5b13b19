#pragma once

#include "app/run/run.h"
#include "app/train_options.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// Runs, resumes or estimates a training, or searches for the largest batch size; on a rank other than 0,
/// runs its part.
ExitCode run_train(const TrainOptions& options);

/// Plan of the options and the suite. Throws usage, data and device Errors.
struct PlannedTraining : PlannedRun {
  explicit PlannedTraining(const TrainOptions& given);
};

}  // namespace gpubench
