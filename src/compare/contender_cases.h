#pragma once
// From the records of a case to the figures that are compared.

#include <cstddef>
#include <vector>

#include "gpubench/compare/contender.h"

namespace gpubench {

/// The figures of one case, whose repetitions are at `positions`, at least one.
CaseFigures figures_of(const RunRecord& run, const std::vector<std::size_t>& positions, Intervals intervals);

/// Processes a side from which on their scatter tells the interval of a ratio.
inline constexpr std::size_t kEnoughProcesses = 3;

/// Epoch time of `over` by that of `under`, which both have: from the scatter of their processes where these
/// are enough, else from that of their epochs.
Estimate ratio_of_times(const CaseFigures& over, const CaseFigures& under);

}  // namespace gpubench
