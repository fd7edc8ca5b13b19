#pragma once
// A run as pictures.

#include <vector>

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Epoch time and throughput by batch, epoch by epoch, utilisation, start-up: each where there are figures to
/// set side by side.
std::vector<Section> chart_sections(const RunRecord& run);

}  // namespace gpubench
