#pragma once
// Rows and candidates of comparisons, made from the records of a run.

#include <string>
#include <vector>

#include "compare/candidate.h"

namespace gpubench {

/// Returns the cases or operations of a run, each with all repeats, in order of the first repeat.
std::vector<ComparedRow> make_rows(const RunRecord& run);

/// Returns the devices that have rows, in order of their first rows. `file` is the name to show.
std::vector<Candidate> make_candidates(const RunRecord& run, const std::string& file);

/// Sets the estimate of the samples from their costs; `why_none` is the reason if there are none.
void set_estimate(MetricSamples& samples, const std::string& why_none);

}  // namespace gpubench
