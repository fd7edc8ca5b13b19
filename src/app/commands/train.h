#pragma once

#include <string>
#include <vector>

#include "app/command.h"
#include "app/run/run.h"
#include "app/train_options.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// Runs, resumes, estimates or searches as asked; on a rank other than 0, its part.
ExitCode run_train(const TrainOptions& options, const Invocation& words);

/// The cases of options and suite. Throws usage, data and device Errors.
struct PlannedTraining : PlannedRun {
  PlannedTraining(const TrainOptions& given, const std::vector<std::string>& given_arguments);
};

}  // namespace gpubench
