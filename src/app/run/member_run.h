#pragma once
// What a rank other than 0 does instead of a run of its own.

#include <string>
#include <vector>

#include "app/train_options.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// What such a rank's meter is where rank 0's is `asked`. The first rank of a machine reads one for all of
/// them; each reads its own GPU's where that is all it sees, since nobody else does then.
std::string member_meter(const std::string& asked, bool is_first_of_machine, bool sees_own_gpu_alone);

/// Whether this process is such a rank.
bool is_member();

/// Runs what rank 0 asks for, until that ends it or is gone.
ExitCode serve_as_member(const TrainOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
