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

/// A metric of rows whose history comparisons use.
struct PastFigure {
  const char* metric;  ///< Key of a HistoryMetric.
  RoundFigures RowFigures::*processes;
  Measured<Estimate> RowFigures::*figure;
};
constexpr std::array kPastFigures{
    PastFigure{"time", &RowFigures::process_seconds, &RowFigures::seconds},
    PastFigure{"energy", &RowFigures::process_joules, &RowFigures::epoch_joules},
};

/// A row with a series in the store.
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

/// Returns the runs at the current level, without those of more processes than the row: their median varies
/// less.
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

/// Sets the figure of `past` to the runs at the current level, one value per run.
void set_figure(RowFigures& past, const PastFigure& figure, const Trends& trends, const KnownRow& known) {
  RoundFigures& runs = past.*figure.processes;
  for (const SeriesPoint& point : find_level(trends, known))
    runs.add(static_cast<std::int64_t>(runs.size()) + 1, point.value);
  runs.noise = compute_noise(trends, known);
  past.*figure.figure = missing("no earlier run has this figure");
  if (runs.size() > 0)
    past.*figure.figure = Estimate{compute_median(runs.values), missing("of earlier runs")};
}

using PastTrends = std::array<Trends, kPastFigures.size()>;

/// A row of earlier runs.
struct PastRow {
  RowFigures figures;
  const SeriesRun* newest;  ///< The latest run, which provides the conditions.
  std::string newest_at;
};

/// Returns the row of earlier runs, or nullopt without any.
std::optional<PastRow> make_past_row(const KnownRow& known, const PastTrends& trends, SeriesRuns& runs) {
  const std::vector<SeriesPoint> level = find_level(trends.front(), known);
  const SeriesRun* const newest = level.empty() ? nullptr : runs.find(level.back().run, known.series);
  if (newest == nullptr) return std::nullopt;
  RowFigures past{known.row->identity, newest->row.conditions, newest->row.flop, true, "ok"};
  for (std::size_t i = 0; i < trends.size(); ++i) set_figure(past, kPastFigures[i], trends[i], known);
  past.processes = std::ssize(level);
  past.startup_seconds = missing("of earlier runs");
  past.energy.scope = newest->row.energy.scope;
  past.energy.method = newest->row.energy.method;
  past.energy.meter = newest->row.energy.meter;
  return PastRow{std::move(past), newest, level.back().started_at};
}

/// Returns a candidate with the rows, at least one, and the machine of the newest run.
Candidate make_past_candidate(std::vector<PastRow> rows, const std::string& device) {
  const auto newest = std::ranges::max_element(rows, {}, &PastRow::newest_at);
  const Candidate& machine = newest->newest->candidate;
  Candidate past;
  past.file = "history";
  past.host = machine.host;
  past.device = machine.device;
  past.device.name = device;
  past.conditions = machine.conditions;
  past.threads = machine.threads;
  past.is_of_history = true;
  for (PastRow& row : rows) past.rows.push_back(std::move(row.figures));
  return past;
}

/// Returns the earlier runs of the candidate's rows.
std::vector<PastRow> make_past_rows(const Candidate& candidate, const std::vector<KnownRow>& known,
                                    const PastTrends& trends, SeriesRuns& runs) {
  std::vector<PastRow> rows;
  for (const RowFigures& row : candidate.rows) {
    const auto found = std::ranges::find(known, &row, &KnownRow::row);
    if (found == known.end()) continue;
    if (auto past = make_past_row(*found, trends, runs)) rows.push_back(std::move(*past));
  }
  return rows;
}

/// Returns the rows with too few earlier runs, and the number of these.
std::vector<std::string> list_short_histories(const std::vector<Candidate>& candidates,
                                              const std::vector<KnownRow>& known, const Trends& trends) {
  const RowNames names(make_identities(candidates));
  std::vector<std::string> histories;
  for (const CandidateRow& row : make_rows(candidates)) {
    const auto found = std::ranges::find(known, row.figures, &KnownRow::row);
    const std::size_t count = found == known.end() ? 0 : find_level(trends, *found).size();
    if (count >= kFewestRuns) continue;
    const SeriesTrend* const trend = found == known.end() ? nullptr : trends.find(found->series);
    const std::size_t others = trend == nullptr ? 0 : present_level(*trend).size() - count;
    histories.push_back(
        fmt::format("{}: {} of {}{}", names.of(row.figures->identity), count, kFewestRuns,
                    others == 0 ? "" : fmt::format(" ({} with more processes do not count)", others)));
  }
  return histories;
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
  const TrendScope scope{mapped(known, &KnownRow::series), kMostRuns, "", run.tool.started_at};
  PastTrends trends;
  for (std::size_t i = 0; i < trends.size() && !known.empty(); ++i)
    trends[i] = find_trends(store, find_history_metric(kPastFigures[i].metric), scope);
  Past past{{}, list_short_histories(candidates, known, trends.front())};
  SeriesRuns runs(store);
  for (const Candidate& candidate : candidates) {
    std::vector<PastRow> rows = make_past_rows(candidate, known, trends, runs);
    if (!rows.empty()) past.candidates.push_back(make_past_candidate(std::move(rows), candidate.device.name));
  }
  return past;
}

}  // namespace gpubench
