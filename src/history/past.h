#pragma once
// Earlier runs of this machine: how far equal runs lie apart, and a side of a comparison.

#include <span>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/record/edit.h"
#include "gpubench/record/run_record.h"
#include "store/store.h"

namespace gpubench {

/// Sets RoundFigures::noise of times and energies. `candidates` are those of each run, in the order of
/// `runs`. The noise is that of a row's runs at the present level, if they are kFewestRuns or more: of runs
/// with as many processes as the row has or fewer, since a median of more processes varies less.
void add_noise(const Store& store, std::span<const NamedRun> runs,
               std::span<std::vector<Candidate>> candidates);

/// Earlier runs of the rows of a run.
struct Past {
  std::vector<Candidate> candidates{};  ///< One of each device that has earlier runs.
  std::vector<std::string> lacking{};   ///< Rows with fewer than kFewestRuns: "mlp, batch 128: 3 of 8".
};

/// Returns candidates named "history": Candidate::is_of_history. Their rows are those of `candidates`, which
/// are of `run`, with the last runs before it at one level, at most 50. Set-ups are those of the newest.
Past load_past(const Store& store, const RunRecord& run, std::vector<Candidate> candidates);

}  // namespace gpubench
