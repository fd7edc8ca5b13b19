#pragma once
// What a table of operations says, as pages for writers.

#include <span>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "gpubench/record/ops_record.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// A table with the name of its file.
struct NamedOps {
  std::string name;
  OpsRecord ops;
};

/// One table: what was measured and how well it went in words, the rows, the matrix of types where there are
/// several, the curve of a sweep, and the machine.
Page ops_page(const OpsRecord& ops, const std::string& name);

/// Every device of the other tables against the first table's; of a single table every device against the
/// first. Throws a usage Error where there is only one device.
Comparison compared(std::span<const NamedOps> tables);

/// Several, the first being the baseline: time ratios with intervals and speed-up percent as published,
/// (t_baseline / t - 1) x 100, row by row; averages by operation: the geometric mean of ratios, and beside
/// it, labelled, the published one: the speed-up of arithmetic means of times. Rows that one side lacks, or
/// that have no time there, are listed with the reason. Throws a usage Error for fewer than two, and where
/// they have no row in common.
Page ops_comparison_page(std::span<const NamedOps> tables);

/// The figures of all tables in long form: two rows an operation, time of a call and FLOP/s, in base units.
Table ops_figures(std::span<const NamedOps> tables);

}  // namespace gpubench
