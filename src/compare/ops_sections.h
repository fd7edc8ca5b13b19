#pragma once
// The parts of the page of a table of operations, a source each.

#include <string>
#include <vector>

#include "gpubench/record/ops_record.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// What was measured and how well it went, in words, then what to mind.
std::vector<Paragraph> ops_summary(const OpsRecord& ops);
std::vector<Paragraph> ops_cautions(const OpsRecord& ops);

/// A row an operation and size, in units that suit the figure. There is at least one row.
Table op_rows_table(const std::vector<OpRecord>& rows);

/// Operations by types: how each ended. There is at least one row.
Table op_matrix_table(const std::vector<OpRecord>& rows);

/// FLOP/s of square products by their size, a line a type; without points where no row has both.
Chart op_sweep_chart(const std::vector<OpRecord>& rows);

/// "slow" for a row that is ok and slow, else the status; with its tone, and what is to be said about it.
Cell status_cell(const OpRecord& row);

}  // namespace gpubench
