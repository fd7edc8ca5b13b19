#pragma once
// Comparisons of runs, or of tables of operations, in words, tables and charts.

#include <span>

#include "compare/comparison.h"
#include "compare/gate.h"
#include "gpubench/record/page.h"
#include "pages/ops_page.h"

namespace gpubench {

/// More versus_baseline than these are summed up a line each.
inline constexpr std::size_t kMostDetailed = 8;

/// How much of it to show.
enum class Detail {
  kTables,  ///< What fits a terminal.
  kCharts,  ///< Charts too.
};

/// The page of runs, without its data: the answer first, then whether the figures compare, then models and
/// cases. Of many candidates the cases are left out. Throws nothing for an empty comparison.
Page comparison_page(const Comparison& comparison, Detail detail);

/// Every case of every candidate with its figures and, against its baseline, its ratios, in base units.
Table comparison_data(const Comparison& comparison);

/// The same in long form: a row a figure, in base units, with its interval. The scope "case" has epochs and
/// energy of every case, and its ratios to the baseline, to the CPU of its file (gpu_benefit) and to fp32
/// (precision_gain); "model" and "all" have their averages: geometric mean, arithmetic mean, least and
/// greatest. Needs no versus.
Table comparison_figures(const Comparison& comparison);

/// What a gate says, of runs and of operations.
Page gate_page(const Comparison& comparison, const GateReport& report);

// Tables of operations, the first being the baseline.

/// Every device of the other tables against the first table's; of a single table every device against the
/// first, by compare(). Throws a usage Error where there is only one device.
Comparison compared(std::span<const NamedOps> tables, std::optional<double> equality_margin = {});

/// The page with its data: time ratios with intervals and speed-up percent as published,
/// (t_baseline / t - 1) x 100, row by row; averages by operation: the geometric mean of ratios, and beside
/// it, labelled, the published one: the speed-up of arithmetic means of times. Rows that one side lacks, or
/// that have no time there, are counted by the reason. Throws a usage Error for fewer than two, and where
/// they have no row in common.
Page ops_comparison_page(std::span<const NamedOps> tables, std::optional<double> equality_margin = {});

/// The figures of all tables in long form: two rows an operation, time of a call and FLOP/s, in base units.
Table ops_figures(std::span<const NamedOps> tables);

}  // namespace gpubench
