#pragma once
// Earlier runs of this machine: the noise between equal runs, and a baseline for comparisons.

#include <span>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/record/edit.h"
#include "gpubench/record/run_record.h"
#include "store/store.h"

namespace gpubench {

/// Sets RoundFigures::noise of times and energies. `candidates` has those of each run in `runs`. The noise
/// comes from the runs of a row's series at the current level, if there are at least kFewestRuns. Runs with
/// more processes than the row are ignored, since a median of more processes varies less.
void add_noise(const Store& store, std::span<const NamedRun> runs,
               std::span<std::vector<Candidate>> candidates);

/// Earlier runs of the rows of a run.
struct Past {
  std::vector<Candidate> candidates{};  ///< One for each device that has earlier runs.
  std::vector<std::string>
      short_histories{};  ///< Rows with fewer than kFewestRuns: "mlp, batch 128: 3 of 8".
};

/// Returns candidates named "history" (Candidate::is_of_history) for the rows of `candidates`, which are
/// those of `run`. Each row summarizes at most 50 runs before `run`, all at the last level. The conditions
/// are those of the newest of these runs.
Past load_past(const Store& store, const RunRecord& run, std::vector<Candidate> candidates);

}  // namespace gpubench
