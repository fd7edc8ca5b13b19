#pragma once
// Comparisons of runs, or of tables of operations, in words, tables and charts.

#include <optional>
#include <span>

#include "compare/comparison.h"
#include "compare/gate.h"
#include "gpubench/record/page.h"
#include "pages/ops_page.h"

namespace gpubench {

/// Maximum number of comparisons with the baseline whose cases are shown.
inline constexpr std::size_t kMostDetailed = 8;

/// Contents of a page.
enum class Detail {
  kTables,  ///< Tables, which fit a terminal.
  kCharts,  ///< Tables and charts.
};

/// The page without its data. Of two sides the verdict and a row for each case, of more machines a ranking
/// for each model and batch size; then cautions, and as details everything else, of many candidates without
/// their cases. Throws nothing for an empty comparison.
Page comparison_page(const Comparison& comparison, Detail detail);

/// Marks the sections from the `first` on as details.
void mark_details(std::vector<Section>& sections, std::size_t first);

/// Every case of every candidate with its figures and, against its baseline, its ratios, in base units.
Table comparison_data(const Comparison& comparison);

/// All figures in long form: a row a figure, in base units, with its interval. The scope "case" has epochs
/// and energy of every case, and its ratios to the baseline, to the CPU of its file (gpu_benefit) and to fp32
/// (precision_gain); "model" and "all" have their averages: geometric mean, arithmetic mean, least and
/// greatest. Needs no versus.
Table comparison_figures(const Comparison& comparison);

/// The page of a gate's answer, of runs and of operations.
Page gate_page(const Comparison& comparison, const GateReport& report);

// Tables of operations, the first being the baseline.

/// Every device of the other tables against the first table's; of a single table every device against the
/// first, by compare(). Throws a usage Error if there is only one device.
Comparison compared(std::span<const NamedOps> tables, std::optional<double> equality_margin = {});

/// The comparison_page() of tables with its data and their environments. Throws a usage Error for fewer than
/// two devices.
Page ops_comparison_page(std::span<const NamedOps> tables, std::optional<double> equality_margin = {});

/// The figures of all tables in long form: two rows an operation, time of a call and FLOP/s, in base units.
Table ops_figures(std::span<const NamedOps> tables);

}  // namespace gpubench
