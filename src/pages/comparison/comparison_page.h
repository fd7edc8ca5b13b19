#pragma once

#include <vector>

#include "compare/comparison.h"
#include "compare/gate.h"
#include "gpubench/record/edit.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Returns the page without data: a verdict or a ranking, then cautions and details.
Page comparison_page(const Comparison& comparison);

/// Returns comparison_page() with data; with few candidates also with the sections of each file as details.
Page comparison_report(const Comparison& comparison, const std::vector<NamedRun>& runs);

/// Returns a row per case of a candidate in base units: its metrics, and their ratios to the baseline.
Table comparison_data(const Comparison& comparison);

/// Returns a row per value in base units with its interval. Rows of scope "case" are cases and their ratios;
/// "model" and "all" are means, minimum and maximum of ratios. One candidate is enough.
Table comparison_values(const Comparison& comparison);

/// Returns the verdict of a gate, all cautions of the comparison, and the loss of each case.
Page gate_page(const Comparison& comparison, const GateReport& report);

}  // namespace gpubench
