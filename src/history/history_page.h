#pragma once
// Pages of a store: its series, its runs, and one series over time. They throw nothing for its contents.

#include <span>
#include <vector>

#include "gpubench/record/page.h"
#include "history/history.h"

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

}  // namespace gpubench
