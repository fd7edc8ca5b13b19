#include "history/trend.h"

#include <algorithm>
#include <cmath>

#include "gpubench/core/collect.h"
#include "history/series_runs.h"

namespace gpubench {
namespace {

std::vector<double> logarithms(std::span<const SeriesPoint> points) {
  return mapped(points, [](const SeriesPoint& point) { return std::log(point.value); });
}

std::vector<SeriesTrend> load_trends(const Store& store, const HistoryMetric& metric,
                                     const TrendScope& scope) {
  std::vector<SeriesTrend> trends;
  for (HistorySeries& series : load_series(store)) {
    std::vector<SeriesPoint> points = load_points(store, series.id, metric, scope.most, scope.before);
    std::erase_if(points, [&](const SeriesPoint& point) {
      return !(point.value > 0) || point.started_at < scope.since;
    });
    if (!points.empty()) trends.push_back({std::move(series), std::move(points)});
  }
  return trends;
}

GateVerdict judge_change(const TrendChange& change, double threshold) {
  const auto [low, high] = change.ratio.interval.value();
  if (high <= 1 + threshold) return GateVerdict::kPass;
  return low > 1 + threshold && change.is_confirmed ? GateVerdict::kRegression : GateVerdict::kInconclusive;
}

/// Returns the verdict on the last change; before a possible one a regression only possibly holds.
TrendVerdict judge_series(const SeriesTrend& trend, double threshold) {
  TrendVerdict last{&trend, nullptr, GateVerdict::kPass};
  for (const TrendChange& change : trend.changes) {
    const GateVerdict verdict = judge_change(change, threshold);
    if (!change.is_confirmed && last.verdict == GateVerdict::kRegression)
      last.verdict = GateVerdict::kInconclusive;
    else
      last = {&trend, &change, verdict};
  }
  return last;
}

}  // namespace

const SeriesTrend* Trends::find(std::int64_t series_id) const {
  const auto found =
      std::ranges::find_if(series, [&](const SeriesTrend& trend) { return trend.series.id == series_id; });
  return found == series.end() ? nullptr : &*found;
}

void explain(const Store& store, Trends& trends) {
  SeriesRuns runs(store);
  for (SeriesTrend& trend : trends.series) {
    for (TrendChange& change : trend.changes) {
      const CandidateRow before = runs.find_row(trend.points[change.position - 1].run, trend.series.id);
      const CandidateRow after = runs.find_row(trend.first_after(change).run, trend.series.id);
      if (before.figures != nullptr && after.figures != nullptr) change.causes = list_causes(before, after);
    }
  }
}

std::span<const SeriesPoint> present_level(const SeriesTrend& trend) {
  std::size_t begin = 0;
  std::size_t end = trend.points.size();
  for (const TrendChange& change : trend.changes) {
    if (change.is_confirmed)
      begin = change.position;
    else
      end = std::min(end, change.position);
  }
  return std::span(trend.points).subspan(begin, std::max(begin, end) - begin);
}

TrendGate gate(const Trends& trends, double threshold) {
  TrendGate gate{GateVerdict::kPass};
  for (const SeriesTrend& trend : trends.series) {
    const TrendVerdict last = judge_series(trend, threshold);
    if (last.verdict != GateVerdict::kPass) gate.verdicts.push_back(last);
  }
  const auto has = [&](GateVerdict verdict) {
    return std::ranges::find(gate.verdicts, verdict, &TrendVerdict::verdict) != gate.verdicts.end();
  };
  if (has(GateVerdict::kRegression))
    gate.answer = GateVerdict::kRegression;
  else if (!gate.verdicts.empty() || std::ranges::none_of(trends.series, &SeriesTrend::has_enough_runs))
    gate.answer = GateVerdict::kInconclusive;
  return gate;
}

}  // namespace gpubench
