#pragma once

#include <vector>

#include "compare/comparison.h"
#include "compare/conclusions.h"
#include "gpubench/record/edit.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Returns the page without its data: a verdict on two sides, a ranking of more; then cautions and details.
Page comparison_page(const Comparison& comparison);

/// Returns that page with its data, and of a few comparisons the sections of each file as details.
Page comparison_report(const Comparison& comparison, const std::vector<NamedRun>& runs);

/// Every case of every candidate with its figures and, against its baseline, its ratios, in base units.
Table comparison_data(const Comparison& comparison);

/// Returns all figures in long form, in base units with intervals. Scope "case" has cases and their ratios;
/// "model" and "all" have geometric mean, arithmetic mean, least and greatest. Needs no versus.
Table comparison_figures(const Comparison& comparison);

Page gate_page(const Comparison& comparison, const GateReport& report);

}  // namespace gpubench
