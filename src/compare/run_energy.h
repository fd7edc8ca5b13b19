#pragma once
// What a run's work cost in energy, and whether the machine kept its speed.

#include <optional>
#include <vector>

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// "Energy": a row a case, a row a source of power, power over time of the longest cases; or why there is
/// none. "First minute and sustained", and temperature and clock by epoch. Each where there is anything to
/// say.
std::vector<Section> energy_sections(const RunRecord& run, std::optional<double> price_kwh);

}  // namespace gpubench
