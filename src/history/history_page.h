#pragma once
// Pages of a store: its series, its runs, one series over time, and changes of level. They throw nothing for
// its contents.

#include <span>
#include <vector>

#include "gpubench/record/page.h"
#include "history/trend.h"

namespace gpubench {

/// Runs whose values make the spread in a list of series.
inline constexpr std::size_t kRunsOfSpread = 8;

Page series_list_page(const Store& store);

/// A run in the list of runs.
struct RunLine {
  StoredRun run;
  bool is_running = false;  ///< A living process measures it.
};
Page run_list_page(const std::vector<RunLine>& runs);

/// Returns the page of a series: its last `most` runs with the values of the metrics, and what changed
/// between them; a chart of each metric.
Page series_page(const Store& store, const HistorySeries& series,
                 std::span<const HistoryMetric* const> metrics, std::size_t most);

/// Returns the points over time, those with warnings as a series of their own.
Chart history_chart(const HistoryMetric& metric, const std::vector<SeriesPoint>& points);

/// "driver 550.1 -> 560.2; threads 8 -> 1".
std::string describe_changes(const std::vector<Difference>& changes);

/// Returns the page of changes: how many series changed, a table of the changes, a chart of each series that
/// has one, and how many runs that is by. Data has a row a change, and one a series without.
Page trend_page(const Trends& trends, const HistoryMetric& metric);

/// Returns that page below the verdict.
Page trend_gate_page(const Trends& trends, const HistoryMetric& metric, const TrendGate& gate,
                     double threshold);

}  // namespace gpubench
