#pragma once
// Figures as people read them.

#include <string>

#include "gpubench/compare/comparison.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// "12.0 to 12.6"; empty without an interval.
std::string interval_text(const Reading<Interval>& interval);

/// "B (desk, cuda:0 (NVIDIA H200))".
std::string named(const Contender& contender);

/// "B against A".
std::string pair_name(const Comparison& comparison, const Duel& duel);

/// What sets the case apart: "cnn 128", "transformer_lm embedding=200 20, fp16".
std::string case_name(const CaseFigures& figures);

/// "1 case", "12 cases".
std::string counted(std::size_t count, const std::string& noun);

/// "precision fp32 against fp16".
std::string sentence_of(const Difference& difference);

/// Whether the interval, or the figure without one, leaves no doubt on which side of 1 it is.
bool is_distinct_from_one(const Estimate& ratio);

// Cells: the figure with `unit` told by the column, or "-" with the reason as a note.
Cell number_cell(double number);
Cell number_cell(const Reading<double>& number);
/// Above 1 is good, below is bad, neither where 1 is within the interval.
Cell ratio_cell(const Reading<Estimate>& ratio);

}  // namespace gpubench
