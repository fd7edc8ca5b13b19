#pragma once
// A comparison in words, tables and charts.

#include <vector>

#include "compare/comparison.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// More duels than these are summed up a line each.
inline constexpr std::size_t kMostDetailed = 8;

/// How much of it to show.
enum class Detail {
  kTables,  ///< What fits a terminal.
  kCharts,  ///< Charts too.
};

/// The page, without its data: the answer first, then whether the figures compare, then models and cases. Of
/// many contenders the cases are left out. Throws nothing for an empty comparison.
Page comparison_page(const Comparison& comparison, Detail detail);

/// Every case of every contender with its figures and, against its baseline, its ratios, in base units.
Table comparison_data(const Comparison& comparison);

/// The same in long form: a row a figure, in base units, with its interval. The scope "case" has epochs and
/// energy of every case, and its ratios to the baseline, to the CPU of its file (gpu_benefit) and to fp32
/// (precision_gain); "model" and "all" have their averages: geometric mean, arithmetic mean, least and
/// greatest. Needs no duel.
Table comparison_figures(const Comparison& comparison);

}  // namespace gpubench
