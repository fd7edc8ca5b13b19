#pragma once
// Ranks of a run: rank 0 plans and decides; the other ranks execute its requests.

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/run.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// Connects the ranks of a launcher, or starts `most` ranks on this machine. Sets the threads per rank.
/// Throws usage Errors.
void launch_ranks(PlannedRun& run, std::int64_t most);

/// Returns the number of ranks that a launcher has started; 1 without a launcher.
std::int64_t launched_ranks();

/// Returns the number of ranks that a launcher has started, else one per GPU, or one per core on the CPU.
std::int64_t most_ranks_for(const std::vector<std::string>& devices);

bool is_peer_rank();

/// Executes requests of rank 0 until rank 0 ends.
ExitCode run_peer_rank(const RunOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
