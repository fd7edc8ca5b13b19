#pragma once
// Earlier runs of this machine as the baseline of a comparison.

#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/record/run_record.h"
#include "store/store.h"

namespace gpubench {

/// Earlier runs of the rows of a run.
struct Baseline {
  std::vector<Candidate> candidates{};         ///< One for each device that has earlier runs.
  std::vector<std::string> short_histories{};  ///< Rows without a verdict: "mlp, batch 128: 3 of 8 runs".
};

/// Returns candidates named "history" (Candidate::is_history) for the rows of `candidates`, which are those
/// of `run`. Each row summarizes at most 50 runs of the same host before `run`, all at the last level. Runs
/// with more processes than the row are ignored, since a median of more processes varies less. The noise
/// between runs needs kFewestRuns runs on kFewestDays days. The conditions are those of the newest of these
/// runs.
Baseline load_baseline(const Store& store, const RunRecord& run, const std::vector<Candidate>& candidates);

}  // namespace gpubench
