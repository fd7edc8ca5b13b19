#include "history/trend.h"

#include <algorithm>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/change_points.h"

namespace gpubench {

static_assert(kFewestRuns == kFewestForChange);

namespace {

/// Returns the values, or their reciprocals if higher is better, so that a rise is always worse.
std::vector<double> list_values(const SeriesTrend& trend) {
  const bool is_cost = !trend.metric->use->is_higher_better;
  return mapped(trend.points, [&](const SeriesPoint& one) { return is_cost ? one.value : 1 / one.value; });
}

std::vector<SeriesTrend> load_trends(const Store& store, const MetricChoice& metrics,
                                     const TrendScope& scope) {
  std::vector<SeriesTrend> trends;
  for (HistorySeries& series : load_series(store)) {
    auto [metric, points] = load_points(store, series.id, metrics, scope.most, scope.before);
    std::erase_if(points, [&](const SeriesPoint& point) {
      return !(point.value > 0) || point.started_at < scope.since;
    });
    if (!points.empty()) trends.push_back({std::move(series), metric, std::move(points)});
  }
  return trends;
}

void add_changes(SeriesTrend& trend, ChangeDetector& detector, double level, double autocorrelation) {
  const std::vector<double> values = list_values(trend);
  std::vector<std::size_t> positions = mapped(detector.find(values, level), &ChangePoint::position);
  std::ranges::sort(positions);
  const auto part = [&](std::size_t begin, std::size_t end) {
    return std::span(values).subspan(begin, end - begin);
  };
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : positions[i - 1];
    const std::size_t end = i + 1 == positions.size() ? values.size() : positions[i + 1];
    trend.changes.push_back(
        {positions[i],
         ratio_across_change(part(begin, positions[i]), part(positions[i], end), autocorrelation),
         values.size() - positions[i] > kRunsToConfirm});
  }
}

Measured<std::vector<Difference>> find_causes(SeriesRuns& runs, const SeriesTrend& trend,
                                              const TrendChange& change) {
  try {
    const SeriesRun* const before = runs.find(trend.points[change.position - 1].run, trend.series.id);
    const SeriesRun* const after = runs.find(trend.first_after(change).run, trend.series.id);
    if (before == nullptr || after == nullptr) return missing("a run lacks this row");
    return list_changes(*before, *after);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    return missing("a run cannot be read");
  }
}

GateVerdict judge_change(const TrendChange& change, double threshold) {
  if (!change.ratio.interval.has_value()) return GateVerdict::kInconclusive;
  const auto [low, high] = change.ratio.interval.value();
  if (high <= 1 + threshold) return GateVerdict::kPass;
  return low > 1 + threshold && change.is_confirmed ? GateVerdict::kRegression : GateVerdict::kInconclusive;
}

/// Returns the verdict on the last change. An unconfirmed change after a regression makes it inconclusive.
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
      std::ranges::find(series, series_id, [](const SeriesTrend& trend) { return trend.series.id; });
  return found == series.end() ? nullptr : &*found;
}

Trends find_trends(const Store& store, const MetricChoice& metrics, const TrendScope& scope) {
  constexpr double kLevel = 0.05;
  Trends trends{load_trends(store, metrics, scope)};
  // All series of a machine, even unselected ones, contribute to its noise.
  std::map<std::string, std::vector<std::vector<double>>> machines;
  for (const SeriesTrend& trend : trends.series) machines[trend.series.machine].push_back(list_values(trend));
  std::map<std::string, ChangeDetector> detectors;
  for (const auto& [machine, series] : machines) {
    trends.autocorrelation[machine] = pooled_autocorrelation(series);
    detectors.emplace(machine, ChangeDetector(trends.autocorrelation[machine]));
  }
  std::erase_if(trends.series, [&](const SeriesTrend& trend) {
    return !scope.series.empty() && std::ranges::find(scope.series, trend.series.id) == scope.series.end();
  });
  std::vector<SeriesTrend*> judged;
  for (SeriesTrend& trend : trends.series) {
    if (trend.has_enough_runs()) judged.push_back(&trend);
  }
  const std::vector<double> chances = mapped(judged, [&](const SeriesTrend* trend) {
    return detectors.at(trend->series.machine).clearest(list_values(*trend)).p_value;
  });
  const std::vector<double> adjusted = adjust_by_holm(chances);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (adjusted[i] > kLevel) continue;
    // Uses the significance level at which Holm's procedure accepts the first change of the series.
    add_changes(*judged[i], detectors.at(judged[i]->series.machine), kLevel * chances[i] / adjusted[i],
                trends.autocorrelation.at(judged[i]->series.machine));
  }
  return trends;
}

void explain(const Store& store, Trends& trends) {
  SeriesRuns runs(store);
  for (SeriesTrend& trend : trends.series) {
    for (TrendChange& change : trend.changes) change.causes = find_causes(runs, trend, change);
  }
}

std::span<const SeriesPoint> present_level(const SeriesTrend* trend) {
  if (trend == nullptr) return {};
  std::size_t begin = 0;
  std::size_t end = trend->points.size();
  for (const TrendChange& change : trend->changes) {
    if (change.is_confirmed)
      begin = change.position;
    else
      end = std::min(end, change.position);
  }
  return std::span(trend->points).subspan(begin, std::max(begin, end) - begin);
}

TrendGate gate(const Trends& trends, double threshold) {
  TrendGate gate{GateVerdict::kPass};
  for (const SeriesTrend& trend : trends.series) {
    const TrendVerdict last = judge_series(trend, threshold);
    if (last.verdict != GateVerdict::kPass) gate.verdicts.push_back(last);
  }
  if (std::ranges::count(gate.verdicts, GateVerdict::kRegression, &TrendVerdict::verdict) > 0)
    gate.answer = GateVerdict::kRegression;
  else if (!gate.verdicts.empty() || std::ranges::none_of(trends.series, &SeriesTrend::has_enough_runs))
    gate.answer = GateVerdict::kInconclusive;
  return gate;
}

}  // namespace gpubench
