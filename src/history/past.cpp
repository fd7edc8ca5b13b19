#include "history/past.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "history/history.h"
#include "history/trend.h"

namespace gpubench {
namespace {

/// A figure of rows whose history comparisons use.
struct PastFigure {
  const char* metric;  ///< As in find_history_metric().
  RoundFigures RowFigures::*processes;
  Measured<Estimate> RowFigures::*figure;
};
constexpr std::array kPastFigures{
    PastFigure{"time", &RowFigures::process_seconds, &RowFigures::seconds},
    PastFigure{"energy", &RowFigures::process_joules, &RowFigures::epoch_joules},
};

/// A row that the store has a series of.
struct KnownRow {
  RowFigures* row;
  std::int64_t series;
};

std::vector<KnownRow> find_known_rows(const Store& store, const Environment& environment,
                                      std::vector<Candidate>& candidates) {
  std::vector<KnownRow> known;
  for (Candidate& candidate : candidates) {
    for (RowFigures& row : candidate.rows) {
      if (const auto series = find_series(store, series_key(row, candidate, environment)))
        known.push_back({&row, *series});
    }
  }
  return known;
}

/// Corrects for runs that resemble their neighbours, which scatter less about their own mean.
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

/// Returns the runs at the present level, without those of more processes than the row asked for: a median of
/// more varies less.
std::vector<SeriesPoint> find_level(const Trends& trends, const KnownRow& known) {
  std::vector<SeriesPoint> level;
  const SeriesTrend* const trend = trends.find(known.series);
  if (trend == nullptr) return level;
  append(level, present_level(*trend));
  const std::int64_t most = known.row->processes + known.row->failures;
  std::erase_if(level, [&](const SeriesPoint& point) { return point.processes > most; });
  return level;
}

std::optional<SessionNoise> compute_noise(const Trends& trends, const KnownRow& known) {
  const std::vector<SeriesPoint> level = find_level(trends, known);
  if (level.size() < kFewestRuns) return std::nullopt;
  const double autocorrelation = trends.autocorrelation.at(trends.find(known.series)->series.machine);
  const std::vector<double> values =
      mapped(level, [](const SeriesPoint& point) { return std::log(point.value); });
  return SessionNoise{compute_deviation(values, autocorrelation), std::ssize(values)};
}

/// Sets the figure to the runs of the row of `known` at the present level, one value each.
void set_figure(RowFigures& past, const PastFigure& figure, const Trends& trends, const KnownRow& known) {
  RoundFigures& runs = past.*figure.processes;
  for (const SeriesPoint& point : find_level(trends, known))
    runs.add(static_cast<std::int64_t>(runs.size()) + 1, point.value);
  runs.noise = compute_noise(trends, known);
  past.*figure.figure = missing("no earlier run has it");
  if (runs.size() > 0)
    past.*figure.figure = Estimate{compute_median(runs.values), missing("of earlier runs")};
}

using PastTrends = std::array<Trends, kPastFigures.size()>;

/// Returns the row with the set-up of the newest run.
RowFigures make_past_row(const KnownRow& known, const RowFigures& newest, const PastTrends& trends) {
  RowFigures past{known.row->identity, newest.conditions, newest.flop, true, "ok"};
  for (std::size_t i = 0; i < trends.size(); ++i) set_figure(past, kPastFigures[i], trends[i], known);
  past.processes = static_cast<std::int64_t>(past.process_seconds.size());
  past.startup_seconds = missing("of earlier runs");
  past.energy.scope = newest.energy.scope;
  past.energy.method = newest.energy.method;
  past.energy.meter = newest.energy.meter;
  return past;
}

/// Returns the machine of the newest run, without rows.
Candidate make_past_candidate(const Candidate& newest, const std::string& device) {
  Candidate past;
  past.file = "history";
  past.host = newest.host;
  past.device = newest.device;
  past.device.name = device;
  past.conditions = newest.conditions;
  past.threads = newest.threads;
  past.is_of_history = true;
  return past;
}

}  // namespace

void add_noise(const Store& store, std::span<const NamedRun> runs,
               std::span<std::vector<Candidate>> candidates) {
  std::vector<KnownRow> known;
  for (std::size_t i = 0; i < runs.size(); ++i)
    append(known, find_known_rows(store, runs[i].run.environment, candidates[i]));
  if (known.empty()) return;
  TrendScope scope;
  for (const KnownRow& row : known) add_once(scope.series, row.series);
  for (const PastFigure& figure : kPastFigures) {
    const Trends trends = find_trends(store, find_history_metric(figure.metric), scope);
    for (const KnownRow& row : known) (row.row->*figure.processes).noise = compute_noise(trends, row);
  }
}

Past load_past(const Store& store, const RunRecord& run, std::vector<Candidate> candidates) {
  constexpr std::size_t kMostRuns = 50;
  const std::vector<KnownRow> known = find_known_rows(store, run.environment, candidates);
  TrendScope scope{mapped(known, &KnownRow::series), kMostRuns, "", run.tool.started_at};
  PastTrends trends;
  for (std::size_t i = 0; i < trends.size() && !known.empty(); ++i)
    trends[i] = find_trends(store, find_history_metric(kPastFigures[i].metric), scope);
  const RowNames names(make_identities(candidates));
  SeriesRuns runs(store);
  Past past;
  for (Candidate& candidate : candidates) {
    std::optional<Candidate> made;
    std::string newest_at;
    for (RowFigures& row : candidate.rows) {
      const auto found = std::ranges::find(known, &row, &KnownRow::row);
      const std::vector<SeriesPoint> level =
          found == known.end() ? std::vector<SeriesPoint>{} : find_level(trends.front(), *found);
      if (level.size() < kFewestRuns)
        past.lacking.push_back(
            fmt::format("{}: {} of {}", names.of(row.identity), level.size(), kFewestRuns));
      if (level.empty()) continue;
      const SeriesRun* const newest = runs.find(level.back().run, found->series);
      if (newest == nullptr) continue;
      std::vector<RowFigures> rows = made ? std::move(made->rows) : std::vector<RowFigures>{};
      rows.push_back(make_past_row(*found, newest->row, trends));
      if (level.back().started_at > newest_at) {
        newest_at = level.back().started_at;
        made = make_past_candidate(newest->candidate, candidate.device.name);
      }
      made->rows = std::move(rows);
    }
    if (made) past.candidates.push_back(std::move(*made));
  }
  return past;
}

}  // namespace gpubench
