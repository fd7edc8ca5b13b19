#pragma once
// Parts of pages of comparisons. Tables are without rows where there is nothing to say.

#include <string>
#include <vector>

#include "compare/comparison.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Returns whether the rows are operations, and no training cases.
bool are_operations(const Comparison& comparison);

/// "case"; of operations "row".
std::string row_noun(const Comparison& comparison);

/// Returns whether the rows of the candidate are operations.
bool has_operations(const Candidate& one);

/// Returns whether the sides have a row in common.
bool has_common_row(const BaselineComparison& versus);

std::vector<Paragraph> comparison_summary(const Comparison& comparison);
Table verdict_table(const Comparison& comparison);
Table model_table(const Comparison& comparison);
Table energy_model_table(const Comparison& comparison);
/// Without rows if the sides have none in common.
Table case_table(const BaselineComparison& versus);
Table failure_table(const Comparison& comparison);
Table gpu_benefit_table(const Comparison& comparison);
Table precision_gain_table(const Comparison& comparison);
Table peak_table(const Comparison& comparison);
/// Gains of several ranks, a row for each candidate, work and number of ranks.
Table scaling_table(const Comparison& comparison);
Chart scaling_chart(const Comparison& comparison);
std::vector<Block> comparison_charts(const Comparison& comparison);

/// (ratio - 1) x 100 as "+210 %".
Cell speed_up_cell(double ratio);

}  // namespace gpubench
