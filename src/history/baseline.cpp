#include "history/history.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "history/trend.h"

namespace gpubench {
namespace {

/// Returns the standard deviation, corrected for autocorrelation: neighbouring runs scatter less about their
/// mean.
double compute_deviation(const std::vector<double>& values, double autocorrelation) {
  const auto count = static_cast<double>(values.size());
  double shared = 0;
  double power = 1;
  for (double distance = 1; distance < count; ++distance) {
    power *= autocorrelation;
    shared += 2 * (count - distance) * power / (count * (count - 1));
  }
  return summarize(values).stddev.value() / std::sqrt(1 - shared);
}

/// Trends of the rows by one metric.
struct MetricTrends {
  const Metric* metric;
  Trends trends;
};

/// Earlier runs of all rows.
struct History {
  std::string host;
  std::map<const ComparedRow*, std::int64_t> series;  ///< Rows that the store knows.
  std::vector<MetricTrends> metrics;

  /// Returns the trend of the row; null without earlier runs.
  const SeriesTrend* find_trend(const Trends& trends, const ComparedRow& row) const {
    const auto known = series.find(&row);
    return known == series.end() ? nullptr : trends.find(known->second);
  }

  /// Returns the runs of the host at the current level that have at most the processes of the row.
  std::vector<SeriesPoint> find_level(const Trends& trends, const ComparedRow& row) const {
    std::vector<SeriesPoint> level;
    append(level, present_level(find_trend(trends, row)));
    const std::int64_t most = row.processes + row.failures;
    std::erase_if(level,
                  [&](const SeriesPoint& point) { return point.processes > most || point.host != host; });
    return level;
  }

  /// Returns the runs by the metric that has the most.
  std::vector<SeriesPoint> find_longest(const ComparedRow& row) const {
    std::vector<SeriesPoint> longest;
    for (const MetricTrends& one : metrics) {
      std::vector<SeriesPoint> level = find_level(one.trends, row);
      if (level.size() > longest.size()) longest = std::move(level);
    }
    return longest;
  }
};

std::size_t count_days(const std::vector<SeriesPoint>& points) {
  std::set<std::string> days;
  for (const SeriesPoint& point : points) days.insert(date_text(point.started_at));
  return days.size();
}

/// Returns the noise of the runs at the current level of a trend, which is null without runs.
Measured<RunNoise> compute_noise(const Trends& trends, const SeriesTrend* trend,
                                 const std::vector<SeriesPoint>& level) {
  if (level.size() < kFewestRuns)
    return missing("the history has only {} of the needed {} runs", level.size(), kFewestRuns);
  if (const std::size_t days = count_days(level); days < kFewestDays)
    return missing("the history spans only {} of the needed {} days", days, kFewestDays);
  const double autocorrelation = trends.autocorrelation.at(trend->series.machine);
  const std::vector<double> values =
      mapped(level, [](const SeriesPoint& point) { return std::log(point.value); });
  return RunNoise{compute_deviation(values, autocorrelation), std::ssize(values)};
}

/// Returns the samples of a metric, one per run at the current level.
MetricSamples make_samples(const MetricTrends& metric, const ComparedRow& row, const History& history) {
  MetricSamples samples{metric.metric};
  const std::vector<SeriesPoint> level = history.find_level(metric.trends, row);
  for (const SeriesPoint& point : level) {
    samples.rounds.push_back(static_cast<std::int64_t>(samples.size()) + 1);
    samples.costs.push_back(metric.metric->use->is_higher_better ? 1 / point.value : point.value);
  }
  set_estimate(samples, "no earlier run has this metric");
  samples.noise = compute_noise(metric.trends, history.find_trend(metric.trends, row), level);
  return samples;
}

/// A row of earlier runs.
struct BaselineRow {
  ComparedRow row;
  const SeriesRun* newest;  ///< The latest run, which provides the conditions.
  std::string newest_at;
};

/// Returns the row of earlier runs, or nullopt without any.
std::optional<BaselineRow> make_row(const ComparedRow& later, const History& history, SeriesRuns& runs) {
  const std::vector<SeriesPoint> level = history.find_longest(later);
  if (level.empty()) return std::nullopt;
  const SeriesRun* const newest = runs.find(level.back().run, history.series.at(&later));
  if (newest == nullptr) return std::nullopt;
  ComparedRow row{later.identity, newest->row.conditions, newest->row.flop};
  row.is_ok = true;
  row.status = "ok";
  for (const MetricTrends& metric : history.metrics)
    row.metrics.push_back(make_samples(metric, later, history));
  row.processes = std::ssize(level);
  row.energy = {newest->row.energy.scope, newest->row.energy.method, newest->row.energy.meter};
  return BaselineRow{std::move(row), newest, level.back().started_at};
}

/// Returns a candidate with the rows, at least one, and the machine of the newest run.
Candidate make_candidate(std::vector<BaselineRow> rows, const std::string& device) {
  const auto newest = std::ranges::max_element(rows, {}, &BaselineRow::newest_at);
  const Candidate& machine = newest->newest->candidate;
  Candidate baseline;
  baseline.file = "history";
  baseline.host = machine.host;
  baseline.device = machine.device;
  baseline.device.name = device;
  baseline.conditions = machine.conditions;
  baseline.threads = machine.threads;
  baseline.is_history = true;
  for (BaselineRow& row : rows) baseline.rows.push_back(std::move(row.row));
  return baseline;
}

/// Returns the rows without a verdict for lack of runs or days, with their numbers.
std::vector<std::string> list_short_histories(const std::vector<Candidate>& candidates,
                                              const History& history) {
  const RowNames names(make_identities(candidates));
  std::vector<std::string> histories;
  for (const auto& [candidate, row] : list_rows(candidates)) {
    const std::vector<SeriesPoint> level = history.find_longest(*row);
    const std::size_t days = count_days(level);
    if (level.size() >= kFewestRuns && days >= kFewestDays) continue;
    std::size_t all = 0;
    for (const MetricTrends& metric : history.metrics)
      all = std::max(all, present_level(history.find_trend(metric.trends, *row)).size());
    std::string text = names.of(row->identity) + ": ";
    text += level.size() < kFewestRuns ? fmt::format("{} of {} runs", level.size(), kFewestRuns)
                                       : fmt::format("{} of {} days", days, kFewestDays);
    if (all > level.size())
      text += fmt::format(" ({} with more processes or of other hosts do not count)", all - level.size());
    histories.push_back(std::move(text));
  }
  return histories;
}

}  // namespace

Baseline load_baseline(const Store& store, const RunRecord& run, const std::vector<Candidate>& candidates) {
  constexpr std::size_t kMostRuns = 50;
  TrendScope scope{{}, kMostRuns, "", run.tool.started_at};
  History history{run.environment.host, {}, {}};
  for (const auto& [candidate, row] : list_rows(candidates)) {
    const auto series = find_series(store, series_key(*row, *candidate));
    if (!series) continue;
    history.series.emplace(row, *series);
    scope.series.push_back(*series);
  }
  for (const Metric* metric : series_metrics())
    history.metrics.push_back(
        {metric, scope.series.empty() ? Trends() : find_trends(store, {metric}, scope)});
  Baseline baseline{{}, list_short_histories(candidates, history)};
  SeriesRuns runs(store);
  for (const Candidate& candidate : candidates) {
    std::vector<BaselineRow> rows;
    for (const ComparedRow& row : candidate.rows) {
      if (auto made = make_row(row, history, runs)) rows.push_back(std::move(*made));
    }
    if (!rows.empty()) baseline.candidates.push_back(make_candidate(std::move(rows), candidate.device.name));
  }
  return baseline;
}

}  // namespace gpubench
