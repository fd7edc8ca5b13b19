#pragma once
// Figures that cannot be true.

#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// Why the rate of the case is above what its device can do: its own peak (see engine/roof.h), or that of
/// fp32 in `environment` where a narrower type is slower. Empty where it is not, or where one of the figures
/// is missing. Work that was not counted is taken for three forward passes.
std::string implausible_rate(const CaseRecord& record, const Environment& environment);

}  // namespace gpubench
