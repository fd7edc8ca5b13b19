#pragma once

#include <vector>

#include "compare/comparison.h"
#include "compare/conclusions.h"
#include "gpubench/record/edit.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Returns the page without data: a verdict or a ranking, then cautions and details.
Page comparison_page(const Comparison& comparison);

/// Returns comparison_page() with data; with few candidates also with the sections of each file as details.
Page comparison_report(const Comparison& comparison, const std::vector<NamedRun>& runs);

/// Returns all cases of all candidates in base units: figures, and ratios to the baseline.
Table comparison_data(const Comparison& comparison);

/// Returns all figures in long form, in base units with intervals. Rows of scope "case" are cases and their
/// ratios; "model" and "all" are means, minimum and maximum of ratios. One candidate is enough.
Table comparison_figures(const Comparison& comparison);

/// Returns the verdict of a gate with the slowdown of each case.
Page gate_page(const Comparison& comparison, const GateReport& report);

}  // namespace gpubench
