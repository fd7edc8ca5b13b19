#pragma once
// Ranks of a run: rank 0, which plans and decides, and the others, which run their part.

#include <cstdint>
#include <string>
#include <vector>

#include "app/run/run.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// Connects the ranks that a launcher has started, or starts `most` on this machine, and sets the threads of
/// each. Throws usage Errors.
void launch_ranks(PlannedRun& run, std::int64_t most);

/// Returns the ranks that a launcher has started; 1 without a launcher.
std::int64_t launched_ranks();

/// Returns the ranks that a launcher has started, else one per GPU, or on the CPU one per core.
std::int64_t most_ranks_for(const std::vector<std::string>& devices);

bool is_peer_rank();

/// Runs what rank 0 asks for until rank 0 ends.
ExitCode run_peer_rank(const RunOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
