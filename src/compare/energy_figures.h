#pragma once
// The energy of a case's repetitions, as it is compared.

#include <cstddef>
#include <vector>

#include "compare/row_figures.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Fills in the energy of `records`, repetitions of one case that ended well, at least one. Repetitions whose
/// energy is of another scope than the first one's, or that have none, do not count.
void measure_energy(const std::vector<const CaseRecord*>& records, Intervals intervals, RowFigures& figures);

/// The energy of the case at `position` of a publication, which states power: that times the epoch, which
/// `figures` has.
void state_energy(const RunRecord& run, std::size_t position, RowFigures& figures);

}  // namespace gpubench
