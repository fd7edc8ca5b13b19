#pragma once
// Series of measurements over time. A series is one case on one kind of machine. A point of it is a run: the
// median over its processes. Settings (threads, real or synthetic data, ...) distinguish series; conditions
// that may change between runs (host, driver, LibTorch, gpubench, operating system, governor, ...) do not.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/stats/stats.h"
#include "store/store.h"

namespace gpubench {

/// Metrics in order of preference: of each series the first one that it has is used.
using MetricChoice = std::vector<const Metric*>;

/// Returns the metrics that form series, by MetricUse::main_rank, those without a rank last.
MetricChoice series_metrics();

/// Returns the series metrics with this key or class ("time", "memory"); all for an empty text. Throws a
/// usage Error that names `option` and the nearest known one.
MetricChoice choose_metrics(const std::string& word, const std::string& option);

/// Returns the words that choose_metrics() accepts.
std::vector<std::string> metric_words();

struct HistorySeries {
  std::int64_t id = 0;
  std::string name;     ///< "mlp on cpu, fashion-mnist, batch 128, 50000 samples".
  std::string machine;  ///< "Apple M2 Max"; GPU and CPU for a GPU.
  std::int64_t runs = 0;
  std::string first_at;  ///< Start of the first run, UTC.
  std::string last_at;   ///< Start of the last run, UTC.
};

/// A value in the unit of the metric.
struct SeriesPoint : Estimate {
  RunId run = 0;
  std::string started_at{};  ///< Start of the run, UTC.
  std::int64_t processes = 0;
  bool is_warned = false;  ///< A row of the run has a warning.
  std::string host{};
};

/// Returns "2026-11-26" for "2026-11-26T06:34:09Z".
inline std::string date_text(const std::string& utc) { return utc.substr(0, utc.find('T')); }

/// Points of a series by one metric.
struct SeriesPoints {
  const Metric* metric = nullptr;  ///< Null without points.
  std::vector<SeriesPoint> points{};
};

/// Adds the points of new runs that have ended, or whose process has. Skips rows that are not `ok` and runs
/// of `gpubench ab`. If a run has several equal devices, only the first gets a point. Reports unreadable runs
/// on stderr. Throws a DatabaseError.
void index_runs(Store& store);

/// Returns true if a run has no points yet, for example because it is still running.
bool has_runs_to_index(const Store& store);

/// Returns the series that have points, in the order of their first measurement.
std::vector<HistorySeries> load_series(const Store& store);

/// Returns the last `most` points by the first metric that has any, the oldest first. If `before` (UTC) is
/// not empty, returns only points of runs that started earlier.
SeriesPoints load_points(const Store& store, std::int64_t series, const MetricChoice& metrics,
                         std::size_t most, const std::string& before = "");

/// Returns the key of the row's series: equal for all rows of a series.
std::string series_key(const ComparedRow& row, const Candidate& candidate);

/// Returns the series with that key; nullopt if the store lacks it.
std::optional<std::int64_t> find_series(const Store& store, const std::string& key);

/// A run of a series: its row, and the state of the machine at that time.
struct SeriesRun {
  Candidate candidate;  ///< Machine and conditions; has no rows.
  ComparedRow row;
};

/// Cache of stored runs: a change of a machine affects many series, but each run is read once.
class SeriesRuns {
 public:
  explicit SeriesRuns(const Store& store) : store_(store) {}

  /// Returns the run's row of the series, or nullptr. It is valid as long as this object. Throws a data Error
  /// if the run cannot be read.
  const SeriesRun* find(RunId run, std::int64_t series);

 private:
  using Rows = std::map<std::int64_t, SeriesRun>;

  Rows load(RunId id) const;

  const Store& store_;
  std::map<RunId, Rows> runs_;
};

/// Returns the recorded conditions that changed from one run of a series to a later one.
std::vector<Difference> list_changes(const SeriesRun& before, const SeriesRun& after);

/// Earlier runs of the rows of a run.
struct Baseline {
  std::vector<Candidate> candidates{};         ///< One for each device that has earlier runs.
  std::vector<std::string> short_histories{};  ///< Rows without a verdict: "mlp, batch 128: 3 of 8 runs".
};

/// Returns candidates named "history" (Candidate::is_history) for the rows of `candidates`, which are those
/// of `run`. Each row summarizes at most 50 runs of the same host before `run`, all at the last level. Runs
/// with more processes than the row are ignored, since a median of more processes varies less. The noise
/// between runs needs kFewestRuns runs on kFewestDays days. The conditions are those of the newest of these
/// runs.
Baseline load_baseline(const Store& store, const RunRecord& run, const std::vector<Candidate>& candidates);

}  // namespace gpubench
