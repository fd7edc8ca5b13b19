#pragma once
// The energy of a case's repetitions, as it is compared.

#include <cstddef>
#include <vector>

#include "gpubench/compare/contender.h"

namespace gpubench {

/// Fills in the energy of `records`, repetitions of one case that ended well, at least one. Repetitions whose
/// energy is of another scope than the first one's, or that have none, do not count.
void measure_energy(const std::vector<const CaseRecord*>& records, Intervals intervals, CaseFigures& figures);

/// The energy of the case at `position` of a publication, which states power: that times the epoch, which
/// `figures` has.
void state_energy(const RunRecord& run, std::size_t position, CaseFigures& figures);

/// Energy of `over` by that of `under`, which both have: from the scatter of their processes where these are
/// enough, else from the intervals of both.
Estimate ratio_of_energies(const CaseFigures& over, const CaseFigures& under);

/// The same of the energy-delay products. Without enough processes it is put together from the ratios of
/// energy and time as if these were independent: the one is not known for sampling, the other for scatter.
Estimate ratio_of_products(const CaseFigures& over, const CaseFigures& under, const Estimate& energy,
                           const Estimate& speed);

}  // namespace gpubench
