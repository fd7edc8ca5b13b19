#pragma once
// Whether two energies may stand beside each other.

#include <vector>

#include "gpubench/compare/comparability.h"

namespace gpubench {

/// What differs, or is not known to be alike, between the energies of two cases. Nothing where a side has
/// none.
std::vector<Difference> energy_differences(const CaseFigures& left, const CaseFigures& right);

}  // namespace gpubench
