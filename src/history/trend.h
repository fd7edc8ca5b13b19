#pragma once
// Changes of level in series: when a case became faster or slower on this machine, by how much, and which
// conditions changed at that time.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "compare/gate.h"
#include "gpubench/core/stats/stats.h"
#include "history/history.h"

namespace gpubench {

/// Number of runs that must follow the first one at a new level. Before that, it may be a passing
/// disturbance.
inline constexpr std::size_t kRunsToConfirm = 3;

struct TrendChange {
  std::size_t position = 0;                    ///< Index of the first point after the change.
  Estimate ratio{};                            ///< New cost over old cost: above 1 is worse.
  bool is_confirmed = false;                   ///< kRunsToConfirm runs have followed the first one.
  Measured<std::vector<Difference>> causes{};  ///< Recorded conditions that changed at the same time.
};

struct SeriesTrend {
  HistorySeries series;
  const Metric* metric = nullptr;
  std::vector<SeriesPoint> points;     ///< The oldest first; all values are above 0.
  std::vector<TrendChange> changes{};  ///< The oldest first; empty with fewer than kFewestRuns points.

  bool has_enough_runs() const { return points.size() >= kFewestRuns; }
  const SeriesPoint& first_after(const TrendChange& change) const { return points[change.position]; }
};

/// Selection of points.
struct TrendScope {
  std::vector<std::int64_t> series{};  ///< Numbers of series; empty: all.
  std::size_t most = 200;              ///< Number of latest runs of each series.
  std::string since{};                 ///< Ignore runs that started earlier, UTC; empty: none.
  std::string before{};                ///< Ignore runs that started at this time or later, UTC; empty: none.
};

struct Trends {
  std::vector<SeriesTrend> series;                  ///< In the order of load_series().
  std::map<std::string, double> autocorrelation{};  ///< Autocorrelation of runs by HistorySeries::machine.

  const SeriesTrend* find(std::int64_t series_id) const;  ///< Null if it has no points.
};

/// Finds the changes of all series together: a machine's series share an autocorrelation, and Holm's
/// procedure limits the probability of any false change to 5 %; see core/stats/change_points.h.
Trends find_trends(const Store& store, const MetricChoice& metrics, const TrendScope& scope = {});

/// Sets the causes of all changes.
void explain(const Store& store, Trends& trends);

/// Returns the points at the current level: after the last confirmed change, and before an unconfirmed one.
/// Null has none.
std::span<const SeriesPoint> present_level(const SeriesTrend* trend);

/// A series that does not pass a gate. Points into the trends.
struct TrendVerdict {
  const SeriesTrend* trend = nullptr;
  const TrendChange* change = nullptr;
  GateVerdict verdict = GateVerdict::kInconclusive;
};

struct TrendGate {
  GateVerdict answer = GateVerdict::kInconclusive;
  std::vector<TrendVerdict> verdicts{};  ///< Series that do not pass.
};

/// Judges the last change of each series. It is a regression if it is confirmed and its interval lies above 1
/// + threshold. It is inconclusive if it is not confirmed, if the interval contains the threshold, or if the
/// regression has possibly ended. The answer is also inconclusive if all series have too few runs.
TrendGate gate(const Trends& trends, double threshold);

}  // namespace gpubench
