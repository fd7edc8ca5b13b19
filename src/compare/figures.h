#pragma once
// Figures and conditions of the rows of result files.

#include <string>
#include <vector>

#include "compare/candidate.h"

namespace gpubench {

/// Returns the cases of a run, or the operations of a table, with all repetitions, in order of the first.
std::vector<RowFigures> make_rows(const RunRecord& run);

/// Returns the time of a call of a row that is ok, above 0.
Measured<Estimate> usable_time(const OpRecord& row);

/// The devices that have rows, in the order of the first ones. `file` is the name to show.
std::vector<Candidate> make_candidates(const RunRecord& run, const std::string& file);

}  // namespace gpubench
