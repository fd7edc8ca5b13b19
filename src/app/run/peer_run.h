#pragma once
// The run of a rank other than 0.

#include <string>
#include <vector>

#include "app/train_options.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// Returns the meter of such a rank, if rank 0's is `asked`. The first rank of a machine reads the meters for
/// all; a rank that sees no GPU but its own reads that.
std::string peer_meter(const std::string& asked, bool is_first_of_machine, bool sees_own_gpu_alone);

/// Returns whether this process is such a rank.
bool is_peer_rank();

/// Runs what rank 0 asks for until rank 0 ends.
ExitCode run_peer_rank(const TrainOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
