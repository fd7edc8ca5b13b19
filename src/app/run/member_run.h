#pragma once
// What a rank other than 0 does instead of a run of its own.

#include <string>
#include <vector>

#include "app/train_options.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// Whether this process is such a rank.
bool is_member();

/// Runs what rank 0 asks for, until that ends it or is gone.
ExitCode serve_as_member(const TrainOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
