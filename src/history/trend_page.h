#pragma once

#include "gpubench/record/page.h"
#include "history/trend.h"

namespace gpubench {

/// Returns the page of changes: how many series changed, a table of the changes, a chart of each series that
/// has one, and how many runs that is by. Data has a row a change, and one a series without.
Page trend_page(const Trends& trends, const HistoryMetric& metric);

/// Returns that page below the verdict.
Page trend_gate_page(const Trends& trends, const HistoryMetric& metric, const TrendGate& gate,
                     double threshold);

}  // namespace gpubench
