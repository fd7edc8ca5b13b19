#include "history/history.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "history/trend.h"

namespace gpubench {
namespace {

/// A row with a series in the store.
struct KnownRow {
  const ComparedRow* row;
  std::int64_t series;
};

std::vector<KnownRow> find_known_rows(const Store& store, const std::vector<Candidate>& candidates) {
  std::vector<KnownRow> known;
  for (const auto& [candidate, row] : list_rows(candidates)) {
    if (const auto series = find_series(store, series_key(*row, *candidate))) known.push_back({row, *series});
  }
  return known;
}

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

/// Trends of the known rows by one metric.
struct MetricTrends {
  const Metric* metric;
  Trends trends;
};

/// Earlier runs of all known rows.
struct History {
  std::string host;
  std::vector<MetricTrends> metrics;

  /// Returns the runs of the host at the current level that have at most the processes of the row.
  std::vector<SeriesPoint> find_level(const Trends& trends, const KnownRow& known) const {
    std::vector<SeriesPoint> level;
    const SeriesTrend* const trend = trends.find(known.series);
    if (trend == nullptr) return level;
    append(level, present_level(*trend));
    const std::int64_t most = known.row->processes + known.row->failures;
    std::erase_if(level,
                  [&](const SeriesPoint& point) { return point.processes > most || point.host != host; });
    return level;
  }

  /// Returns the runs by the metric that has the most.
  std::vector<SeriesPoint> find_longest(const KnownRow& known) const {
    std::vector<SeriesPoint> longest;
    for (const MetricTrends& one : metrics) {
      std::vector<SeriesPoint> level = find_level(one.trends, known);
      if (level.size() > longest.size()) longest = std::move(level);
    }
    return longest;
  }
};

std::size_t count_days(const std::vector<SeriesPoint>& points) {
  std::set<std::string> days;
  for (const SeriesPoint& point : points) days.insert(point.started_at.substr(0, point.started_at.find('T')));
  return days.size();
}

Measured<RunNoise> compute_noise(const Trends& trends, const KnownRow& known,
                                 const std::vector<SeriesPoint>& level) {
  if (level.size() < kFewestRuns)
    return missing("the history has only {} of the needed {} runs", level.size(), kFewestRuns);
  if (const std::size_t days = count_days(level); days < kFewestDays)
    return missing("the history spans only {} of the needed {} days", days, kFewestDays);
  const double autocorrelation = trends.autocorrelation.at(trends.find(known.series)->series.machine);
  const std::vector<double> values =
      mapped(level, [](const SeriesPoint& point) { return std::log(point.value); });
  return RunNoise{compute_deviation(values, autocorrelation), std::ssize(values)};
}

/// Returns the samples of a metric, one per run at the current level.
MetricSamples make_samples(const MetricTrends& metric, const KnownRow& known, const History& history) {
  MetricSamples samples{metric.metric};
  const std::vector<SeriesPoint> level = history.find_level(metric.trends, known);
  for (const SeriesPoint& point : level) {
    samples.rounds.push_back(static_cast<std::int64_t>(samples.size()) + 1);
    samples.costs.push_back(metric.metric->use->is_higher_better ? 1 / point.value : point.value);
  }
  set_estimate(samples, "no earlier run has this metric");
  samples.noise = compute_noise(metric.trends, known, level);
  return samples;
}

/// A row of earlier runs.
struct BaselineRow {
  ComparedRow row;
  const SeriesRun* newest;  ///< The latest run, which provides the conditions.
  std::string newest_at;
};

/// Returns the row of earlier runs, or nullopt without any.
std::optional<BaselineRow> make_row(const KnownRow& known, const History& history, SeriesRuns& runs) {
  const std::vector<SeriesPoint> level = history.find_longest(known);
  const SeriesRun* const newest = level.empty() ? nullptr : runs.find(level.back().run, known.series);
  if (newest == nullptr) return std::nullopt;
  ComparedRow row{known.row->identity, newest->row.conditions, newest->row.flop};
  row.is_ok = true;
  row.status = "ok";
  for (const MetricTrends& metric : history.metrics)
    row.metrics.push_back(make_samples(metric, known, history));
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
                                              const std::vector<KnownRow>& known, const History& history) {
  const RowNames names(make_identities(candidates));
  std::vector<std::string> histories;
  for (const CandidateRow& row : list_rows(candidates)) {
    const auto found = std::ranges::find(known, row.row, &KnownRow::row);
    const bool is_known = found != known.end();
    const std::vector<SeriesPoint> level =
        is_known ? history.find_longest(*found) : std::vector<SeriesPoint>();
    const std::size_t days = count_days(level);
    if (level.size() >= kFewestRuns && days >= kFewestDays) continue;
    std::size_t all = 0;
    for (const MetricTrends& metric : history.metrics) {
      const SeriesTrend* const trend = is_known ? metric.trends.find(found->series) : nullptr;
      if (trend != nullptr) all = std::max(all, present_level(*trend).size());
    }
    std::string text = names.of(row.row->identity) + ": ";
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
  const std::vector<KnownRow> known = find_known_rows(store, candidates);
  const TrendScope scope{mapped(known, &KnownRow::series), kMostRuns, "", run.tool.started_at};
  History history{run.environment.host, {}};
  for (const Metric* metric : series_metrics())
    history.metrics.push_back({metric, known.empty() ? Trends() : find_trends(store, {metric}, scope)});
  Baseline baseline{{}, list_short_histories(candidates, known, history)};
  SeriesRuns runs(store);
  for (const Candidate& candidate : candidates) {
    std::vector<BaselineRow> rows;
    for (const ComparedRow& row : candidate.rows) {
      const auto found = std::ranges::find(known, &row, &KnownRow::row);
      if (found == known.end()) continue;
      if (auto made = make_row(*found, history, runs)) rows.push_back(std::move(*made));
    }
    if (!rows.empty()) baseline.candidates.push_back(make_candidate(std::move(rows), candidate.device.name));
  }
  return baseline;
}

}  // namespace gpubench
