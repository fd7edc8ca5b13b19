#pragma once
// Series of what this machine measured, run after run. A series is one piece of work on one kind of machine;
// a point is a run: the median over its processes. What may drift between runs (host, driver, LibTorch,
// gpubench, operating system, governor, threads, ...) is no part of a series.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/stats/stats.h"
#include "store/store.h"

namespace gpubench {

/// A figure that has a history. Lower is better.
struct HistoryMetric {
  const char* key;    ///< "time", "energy", "startup", "memory".
  const char* label;  ///< "epoch or call time".
  const char* unit;   ///< "s", "J", "B".
  Metric metric;      ///< Whose rules of comparability hold.
  Measured<Estimate> (*get)(const RowFigures& row);
};
std::span<const HistoryMetric> history_metrics();

/// Throws a usage Error that names --metric and the nearest known one.
const HistoryMetric& find_history_metric(const std::string& key);

struct HistorySeries {
  std::int64_t id = 0;
  std::string name;     ///< "mlp on cpu, fashion-mnist, batch 128, 50000 samples".
  std::string machine;  ///< "Apple M2 Max"; of a GPU with its CPU.
  std::int64_t runs = 0;
  std::string first_at;  ///< UTC, start of the first run.
  std::string last_at;   ///< Of the last one.
};

struct SeriesPoint {
  RunId run = 0;
  std::string started_at;  ///< UTC.
  double value = 0;        ///< In the unit of the metric.
  std::optional<Interval> interval{};
  std::int64_t processes = 0;
  bool is_warned = false;  ///< One of its rows has a warning.
};

/// Adds the points of all runs that lack them: those that have ended, or whose process has. Rows that are not
/// `ok` and sides of alternations have no point. Of equal devices in one run the first has the point. A run
/// that cannot be read is named on stderr and has none. Throws a DatabaseError.
void index_runs(Store& store);

/// Returns whether some run lacks its points, perhaps because it is in progress.
bool has_runs_to_index(const Store& store);

/// Returns the series that have points, in the order in which they were first measured here.
std::vector<HistorySeries> load_series(const Store& store);

/// Returns the last `most` points, the oldest first; with a time `before`, UTC, those of runs that started
/// earlier.
std::vector<SeriesPoint> load_points(const Store& store, std::int64_t series, const HistoryMetric& metric,
                                     std::size_t most, const std::string& before = "");

/// Returns the text that is alike for rows of one series.
std::string series_key(const RowFigures& row, const Candidate& candidate, const Environment& environment);

/// Returns the series of that key; nothing if the store has none.
std::optional<std::int64_t> find_series(const Store& store, const std::string& key);

/// A run of a series: its row, and the machine as it was then.
struct SeriesRun {
  Candidate candidate;  ///< Without rows.
  RowFigures row;
};

/// Rows of stored runs by their series. Each run is read once: one change of a machine is in many series.
class SeriesRuns {
 public:
  explicit SeriesRuns(const Store& store) : store_(store) {}

  /// Returns the row, valid as long as this object; nullptr if the run has no row of the series. Throws a
  /// data Error if the run cannot be read.
  const SeriesRun* find(RunId run, std::int64_t series);

 private:
  using Rows = std::map<std::int64_t, SeriesRun>;

  Rows load(RunId id) const;

  const Store& store_;
  std::map<RunId, Rows> runs_;
};

/// Returns what else changed from one run of a series to a later one.
std::vector<Difference> list_changes(const SeriesRun& before, const SeriesRun& after);

}  // namespace gpubench
