#pragma once
// Changes of level in series: since when a row of this machine is faster or slower, by how much, and what
// else changed between the runs around it.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "compare/conclusions.h"
#include "gpubench/core/stats/stats.h"
#include "history/history.h"

namespace gpubench {

/// Runs that have to follow the first one at a new level: before, it may be a disturbance that passes.
inline constexpr std::size_t kRunsToConfirm = 3;

struct TrendChange {
  std::size_t position = 0;   ///< Of the first run after it, among the points.
  Estimate ratio{};           ///< Level up to the next change over that before: above 1 is worse.
  bool is_confirmed = false;  ///< kRunsToConfirm runs have followed the first one.
  Measured<std::vector<Difference>> causes{};  ///< What gpubench recorded as different in the runs around it.
};

struct SeriesTrend {
  HistorySeries series;
  std::vector<SeriesPoint> points;     ///< The oldest first; their values are above 0.
  std::vector<TrendChange> changes{};  ///< Likewise. None with fewer than kFewestRuns points.

  bool has_enough_runs() const { return points.size() >= kFewestRuns; }
  const SeriesPoint& first_after(const TrendChange& change) const { return points[change.position]; }
};

/// Which points to look at.
struct TrendScope {
  std::vector<std::int64_t> series{};  ///< Empty: all.
  std::size_t most = 200;              ///< Runs of each series, the last ones.
  std::string since{};                 ///< Start of the first run, UTC; empty: any.
  std::string before{};                ///< Runs that started earlier; empty: any.
};

struct Trends {
  std::vector<SeriesTrend> series;                  ///< In the order of load_series().
  std::map<std::string, double> autocorrelation{};  ///< Of neighbouring runs, by HistorySeries::machine.

  const SeriesTrend* find(std::int64_t series_id) const;  ///< Null if it has no points.
};

/// Finds the changes of all series together: a machine's series share its autocorrelation, and Holm's
/// procedure keeps the chance of any false change at 5 %; see core/stats/change_points.h.
Trends find_trends(const Store& store, const HistoryMetric& metric, const TrendScope& scope = {});

/// Fills in the causes of all changes.
void explain(const Store& store, Trends& trends);

/// Returns the points at the present level: since the last confirmed change, and before one that is not.
std::span<const SeriesPoint> present_level(const SeriesTrend& trend);

/// A series that holds up a gate. Points into the trends.
struct TrendVerdict {
  const SeriesTrend* trend = nullptr;
  const TrendChange* change = nullptr;
  GateVerdict verdict = GateVerdict::kInconclusive;
};

struct TrendGate {
  GateVerdict answer = GateVerdict::kInconclusive;
  std::vector<TrendVerdict> verdicts{};  ///< Of series that do not pass.
};

/// Judges the last change of each series, whose level still holds. It is a regression if it is confirmed and
/// its interval lies above 1 + threshold. Inconclusive are a possible change, an interval that reaches the
/// threshold, a regression that possibly ended, and series that all have too few runs.
TrendGate gate(const Trends& trends, double threshold);

}  // namespace gpubench
