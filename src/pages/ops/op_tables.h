#pragma once
// The rows of a table of operations, and one such table against another, as tables and pictures.

#include <string>
#include <vector>

#include "compare/comparison.h"
#include "gpubench/record/ops_record.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// The types of the rows, in the order of all_op_types().
std::vector<OpType> types_of(const std::vector<OpRecord>& rows);

/// "slow" for a row that is ok and slow, else the status; with its tone, and what is to be said about it.
Cell status_cell(const OpRecord& row);

/// A row an operation and size, in units that suit the figure. There is at least one row.
Table op_rows_table(const std::vector<OpRecord>& rows);

/// Operations by types: how each ended. There is at least one row.
Table op_matrix_table(const std::vector<OpRecord>& rows);

/// FLOP/s of square products by their size, a line a type; without points where no row has both.
Chart op_sweep_chart(const std::vector<OpRecord>& rows);

/// (ratio - 1) x 100 as "+210 %".
std::string speed_up_text(double ratio);

/// Without rows where there are no averages.
Table op_average_table(const std::vector<SpeedAverage>& averages);
Chart op_average_chart(const std::vector<SpeedAverage>& averages);

/// Pairs that have a ratio, of which there is at least one.
Table op_pair_table(const Comparison& comparison, const Duel& duel);

/// Rows that one side lacks, or that have no time there, with the reason.
Table op_unpaired_table(const Comparison& comparison, const Duel& duel);

/// Every pair of every duel, in base units.
Table ops_comparison_data(const Comparison& comparison);

}  // namespace gpubench
