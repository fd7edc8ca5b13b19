#pragma once
// One table of operations against another, as tables and a picture.

#include "compare/ops_contest.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Without rows where no pair has a ratio.
Table op_average_table(const OpsDuel& duel);
Chart op_average_chart(const OpsDuel& duel);

/// Pairs that have a ratio, of which there is at least one.
Table op_pair_table(const OpsContest& contest, const OpsDuel& duel);

/// Rows that one side lacks, or that have no time there, with the reason.
Table op_unpaired_table(const OpsContest& contest, const OpsDuel& duel);

/// Every pair of every duel, in base units.
Table ops_comparison_data(const OpsContest& contest);

}  // namespace gpubench
