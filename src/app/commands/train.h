#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "app/run/run.h"
#include "app/train_options.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// Runs, resumes or estimates a training, or searches for the largest batch size; on a rank other than 0,
/// runs its part.
ExitCode run_train(const TrainOptions& options, const Invocation& words);

/// Plan of the options and the suite. Throws usage, data and device Errors.
struct PlannedTraining : PlannedRun {
  PlannedTraining(const TrainOptions& given, const std::vector<std::string>& given_arguments);
};

}  // namespace gpubench
