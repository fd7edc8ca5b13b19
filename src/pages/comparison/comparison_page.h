#pragma once

#include <optional>
#include <span>

#include "compare/comparison.h"
#include "compare/conclusions.h"
#include "gpubench/record/page.h"
#include "pages/ops_page.h"

namespace gpubench {

/// Maximum number of comparisons with the baseline whose cases are shown.
inline constexpr std::size_t kMostDetailed = 8;

enum class Detail {
  kTables,  ///< Tables, which fit a terminal.
  kCharts,  ///< Tables and charts.
};

/// Returns the page without its data: a verdict on two sides, a ranking of more; then cautions and details.
/// Throws nothing for an empty comparison.
Page comparison_page(const Comparison& comparison, Detail detail);

void mark_details(std::vector<Section>& sections, std::size_t first);

/// Every case of every candidate with its figures and, against its baseline, its ratios, in base units.
Table comparison_data(const Comparison& comparison);

/// Returns all figures in long form, in base units with intervals. Scope "case" has cases and their ratios;
/// "model" and "all" have geometric mean, arithmetic mean, least and greatest. Needs no versus.
Table comparison_figures(const Comparison& comparison);

Page gate_page(const Comparison& comparison, const GateReport& report);

// Tables of operations, the first being the baseline.

/// Compares devices with the first table's, or a single table's with its first. Throws a usage Error for one.
Comparison compared(std::span<const NamedOps> tables, std::optional<double> equality_margin = {});

/// Returns the comparison_page() of tables with data and environments. Throws a usage Error for one device.
Page ops_comparison_page(std::span<const NamedOps> tables, std::optional<double> equality_margin = {});

/// The figures of all tables in long form: two rows an operation, time of a call and FLOP/s, in base units.
Table ops_figures(std::span<const NamedOps> tables);

}  // namespace gpubench
