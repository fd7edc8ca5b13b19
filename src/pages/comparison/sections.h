#pragma once
// The parts of a comparison's page, a source each.

#include <vector>

#include "compare/comparison.h"
#include "gpubench/record/page.h"

namespace gpubench {

std::vector<Paragraph> comparison_summary(const Comparison& comparison);
Table contender_table(const Comparison& comparison);
Table verdict_table(const Comparison& comparison);
Table model_table(const Comparison& comparison);
Table energy_model_table(const Comparison& comparison);  ///< Without rows where no energies compare.
Table case_table(const Comparison& comparison, const Duel& duel);
Table failure_table(const Comparison& comparison);      ///< Without rows where none failed.
Table gpu_benefit_table(const Comparison& comparison);  ///< Without rows where no file has a CPU and another.
Table precision_gain_table(const Comparison& comparison);
Table peak_table(const Comparison& comparison);
std::vector<Block> comparison_charts(const Comparison& comparison);

}  // namespace gpubench
