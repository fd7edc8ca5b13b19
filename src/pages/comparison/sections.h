#pragma once
// The parts of pages of comparisons, a source each.

#include <string>
#include <vector>

#include "compare/comparison.h"
#include "gpubench/record/page.h"

namespace gpubench {

// Of runs. Tables are without rows where there is nothing to say.

std::vector<Paragraph> comparison_summary(const Comparison& comparison);
Table verdict_table(const Comparison& comparison);
Table model_table(const Comparison& comparison);
Table energy_model_table(const Comparison& comparison);
/// Without rows where the sides have no case in common.
Table case_table(const BaselineComparison& versus);
Table failure_table(const Comparison& comparison);
Table gpu_benefit_table(const Comparison& comparison);
Table precision_gain_table(const Comparison& comparison);
Table peak_table(const Comparison& comparison);
/// What several ranks gain, a row for each candidate, work and number of ranks.
Table scaling_table(const Comparison& comparison);
Chart scaling_chart(const Comparison& comparison);
std::vector<Block> comparison_charts(const Comparison& comparison);

/// Whether the sides have a case, or a row of operations, in common.
bool has_common_row(const BaselineComparison& versus);

// Of operations.

/// (ratio - 1) x 100 as "+210 %".
std::string speed_up_text(double ratio);

/// Every pair of every versus, in base units.
Table ops_comparison_data(const Comparison& comparison);

/// The best rate measured in that type, in FLOP/s, or why there is none.
Measured<double> peak_flops(const DeviceRecord& device, const std::string& type);

}  // namespace gpubench
