#pragma once
// Pages about a store: its series, its runs, one series over time, and changes of level. They accept any
// content of the store without throwing.

#include <vector>

#include "gpubench/record/page.h"
#include "history/trend.h"

namespace gpubench {

Page series_list_page(const Store& store);

/// A line of the list of runs.
struct RunLine {
  StoredRun run;
  bool is_running = false;  ///< A live process is running it.
};
Page run_list_page(const std::vector<RunLine>& runs);

/// Returns the page of a series: its last `most` runs with the values of one metric of each choice and the
/// changed conditions, and a chart of each metric.
Page series_page(const Store& store, const HistorySeries& series, const std::vector<MetricChoice>& choices,
                 std::size_t most);

/// Returns a chart of the points over time. Points with warnings form a separate series.
Chart history_chart(const Metric& metric, const std::vector<SeriesPoint>& points);

/// Returns "driver 550.1 -> 560.2; threads 8 -> 1".
std::string describe_changes(const std::vector<Difference>& changes);

/// Returns the page of changes: a summary, a table of the changes, and a chart of each series that changed.
/// Its data has a row per change, and one per series without a change.
Page trend_page(const Trends& trends);

/// Returns trend_page() below the verdict of the gate.
Page trend_gate_page(const Trends& trends, const TrendGate& gate, double threshold);

}  // namespace gpubench
