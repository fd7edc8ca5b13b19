#pragma once
// Trains: a new run, the rest of an interrupted one, or trials that make no result.

#include <string>
#include <vector>

#include "app/train_options.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// Runs, resumes, estimates or searches what the options ask for; on a rank other than 0, its part of that.
/// `arguments` go into the result.
ExitCode run_train(const TrainOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
