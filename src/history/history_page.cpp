#include "history/history_page.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/utf8.h"
#include "pages/format.h"
#include "power/log/values.h"

namespace gpubench {
namespace {

/// Number of latest runs for the spread in a list of series.
constexpr std::size_t kRunsOfSpread = 8;

/// Returns "2026-11-26 06:34".
std::string minute_text(const std::string& utc) {
  constexpr std::size_t kToTheMinute = 16;
  std::string text = utc.substr(0, kToTheMinute);
  std::ranges::replace(text, 'T', ' ');
  return text;
}

Cell value_text_cell(double value, const Metric& metric) {
  return {prefixed_text(value, metric.unit), value};
}

Measured<double> compute_spread(const std::vector<SeriesPoint>& points) {
  if (points.size() < 2) return missing("a single run");
  const Summary all = summarize(mapped(points, &SeriesPoint::value));
  if (!(all.median > 0)) return missing("the values are zero");
  return (all.max - all.min) / all.median;
}

Table series_data(const std::vector<SeriesTrend>& lines) {
  Columns<SeriesTrend> columns(lines);
  columns.add({"series"}, [](const SeriesTrend& line) { return line.series.id; });
  columns.add({"work"}, [](const SeriesTrend& line) { return line.series.name; });
  columns.add({"machine"}, [](const SeriesTrend& line) { return line.series.machine; });
  columns.add({"runs"}, [](const SeriesTrend& line) { return line.series.runs; });
  columns.add({"first_at"}, [](const SeriesTrend& line) { return line.series.first_at; });
  columns.add({"last_at"}, [](const SeriesTrend& line) { return line.series.last_at; });
  columns.add({"metric"}, [](const SeriesTrend& line) { return line.metric ? line.metric->key : ""; });
  columns.add({"last_value"}, [](const SeriesTrend& line) {
    return line.points.empty() ? Cell{""} : Cell{"", line.points.back().value};
  });
  columns.add({"spread"}, [](const SeriesTrend& line) { return value_cell(compute_spread(line.points)); });
  return columns.take();
}

Table series_table(const std::vector<SeriesTrend>& lines) {
  Columns<SeriesTrend> columns(lines);
  columns.number("series", "", [](const SeriesTrend& line) { return line.series.id; });
  columns.text("work", [](const SeriesTrend& line) { return line.series.name; });
  columns.text("machine", [](const SeriesTrend& line) { return line.series.machine; });
  columns.number("runs", "", [](const SeriesTrend& line) { return line.series.runs; });
  columns.add({.heading = "first run", .is_number = true, .is_detail = true},
              [](const SeriesTrend& line) { return date_text(line.series.first_at); });
  columns.add({.heading = "last run", .is_number = true},
              [](const SeriesTrend& line) { return date_text(line.series.last_at); });
  columns.number("last value", "", [](const SeriesTrend& line) {
    return line.points.empty() ? no_figure("") : value_text_cell(line.points.back().value, *line.metric);
  });
  columns.number("spread", "",
                 [](const SeriesTrend& line) { return percent_cell(compute_spread(line.points)); });
  return folded(columns.take(
      "", {"Last value: epoch, fit or call time, or latency, of the last run",
           fmt::format("Spread: range of the last {} runs, divided by their median", kRunsOfSpread)}));
}

/// The points of several metrics for one run.
struct RunValues {
  SeriesPoint point;  ///< The point of any of the metrics.
  std::map<const Metric*, Estimate> values;
  std::string changes;  ///< Changed conditions since the previous run.

  Measured<Estimate> find(const Metric& metric) const {
    const auto found = values.find(&metric);
    return found == values.end() ? missing("not measured in this run") : Measured(found->second);
  }
};

std::vector<RunValues> join_runs(const std::vector<SeriesPoints>& metrics, std::size_t most) {
  std::map<std::pair<std::string, RunId>, RunValues> runs;
  for (const auto& [metric, points] : metrics) {
    for (const SeriesPoint& point : points) {
      RunValues& run = runs[{point.started_at, point.run}];
      run.point = point;
      run.values.emplace(metric, point);
    }
  }
  std::vector<RunValues> all = mapped(runs, [](const auto& entry) { return entry.second; });
  if (all.size() > most) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most));
  return all;
}

void add_changes(const Store& store, std::int64_t series, std::vector<RunValues>& runs) {
  SeriesRuns known(store);
  const SeriesRun* before = nullptr;
  for (RunValues& run : runs) {
    try {
      const SeriesRun* const now = known.find(run.point.run, series);
      if (now == nullptr) continue;
      if (before != nullptr) run.changes = describe_changes(list_changes(*before, *now));
      before = now;
    } catch (const Error&) {
      run.changes = "unknown: the run cannot be read";
    }
  }
}

/// Returns "11.5 to 11.9 s", or "980 ms to 1.02 s" if the units differ.
std::string format_interval(const Measured<Interval>& interval, const Metric& metric) {
  if (!interval.has_value()) return "";
  std::string low = prefixed_text(interval.value().low, metric.unit);
  const std::string high = prefixed_text(interval.value().high, metric.unit);
  const std::string unit = high.substr(high.find(' '));
  if (low.ends_with(unit)) low.resize(low.size() - unit.size());
  return low + " to " + high;
}

Table runs_table(const std::vector<RunValues>& runs, const std::vector<SeriesPoints>& metrics) {
  Columns<RunValues> columns(runs);
  columns.number("run", "", [](const RunValues& run) { return run.point.run; });
  columns.number("started (UTC)", "", [](const RunValues& run) { return minute_text(run.point.started_at); });
  for (const SeriesPoints& entry : metrics) {
    const Metric& metric = *entry.metric;
    columns.number(metric.label, "", [&metric](const RunValues& run) {
      const Measured<Estimate> value = run.find(metric);
      return value.has_value() ? value_text_cell(value.value().value, metric) : no_figure(value.reason());
    });
    columns.add_known(
        {.heading = "95 % interval", .is_number = true, .is_detail = &entry != &metrics.front()},
        [&](const RunValues& run) {
          return format_interval(run.find(metric).then(&Estimate::interval), metric);
        });
  }
  columns.text("processes", [](const RunValues& run) { return std::to_string(run.point.processes); });
  columns.add_known({"changed since previous run"}, [](const RunValues& run) { return run.changes; });
  return folded(columns.take());
}

Table runs_data(const std::vector<RunValues>& runs, const HistorySeries& series,
                const std::vector<SeriesPoints>& metrics) {
  Columns<RunValues> columns(runs);
  columns.add({"series"}, [&series](const RunValues&) { return series.id; });
  columns.add({"run"}, [](const RunValues& run) { return run.point.run; });
  columns.add({"started_at"}, [](const RunValues& run) { return run.point.started_at; });
  for (const SeriesPoints& entry : metrics) {
    const Metric& metric = *entry.metric;
    columns.add_estimate({metric.key, metric.key + "_low", metric.key + "_high"},
                         [&metric](const RunValues& run) { return run.find(metric); });
  }
  columns.add({"processes"}, [](const RunValues& run) { return run.point.processes; });
  columns.add({"warned"}, [](const RunValues& run) { return run.point.is_warned ? 1 : 0; });
  columns.add({"changes"}, [](const RunValues& run) { return run.changes; });
  return columns.take();
}

std::string capitalized(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

Paragraph describe_values(const Metric& metric, const std::vector<SeriesPoint>& points) {
  if (points.empty()) return {fmt::format("{}: not measured.", capitalized(metric.noun())), Tone::kMuted};
  const Summary all = summarize(mapped(points, &SeriesPoint::value));
  const auto text = [&](double value) { return prefixed_text(value, metric.unit); };
  return {fmt::format("{}: last {}; median of the last {} {} ({} to {}).", capitalized(metric.noun()),
                      text(points.back().value), counted(all.count, "run"), text(all.median), text(all.min),
                      text(all.max))};
}

}  // namespace

Page series_list_page(const Store& store) {
  const MetricChoice choice = series_metrics();
  const std::vector<SeriesTrend> lines = mapped(load_series(store), [&](const HistorySeries& series) {
    auto [metric, points] = load_points(store, series.id, choice, kRunsOfSpread);
    return SeriesTrend{series, metric, std::move(points)};
  });
  Page page;
  page.data = series_data(lines);
  if (lines.empty())
    page.summary.push_back({"No series yet: the store has no ok rows (runs of 'gpubench ab' do not count)."});
  add_section(page.sections, "", series_table(lines));
  return page;
}

Page run_list_page(const std::vector<RunLine>& runs) {
  const auto make_table = [&](bool is_data) {
    Columns<RunLine> columns(runs);
    columns.number("run", "", [](const RunLine& line) { return line.run.id; });
    columns.text("started (UTC)", [is_data](const RunLine& line) {
      return is_data ? line.run.started_at : minute_text(line.run.started_at);
    });
    columns.text("kind", [](const RunLine& line) { return line.run.kind; });
    columns.number("ended", "", [](const RunLine& line) { return line.run.finished_rows; });
    columns.number("rows", "", [](const RunLine& line) { return line.run.rows; });
    columns.text("state", [](const RunLine& line) {
      if (line.is_running) return "running";
      return line.run.finished_at.empty() ? "unfinished" : "finished";
    });
    if (is_data) columns.text("run_id", [](const RunLine& line) { return line.run.run_id; });
    columns.text("result file", [is_data](const RunLine& line) {
      return is_data ? line.run.output : std::filesystem::path(line.run.output).filename().string();
    });
    return columns.take();
  };
  Page page;
  page.data = make_table(/*is_data=*/true);
  if (runs.empty()) page.summary.push_back({"No runs yet."});
  add_section(page.sections, "", make_table(/*is_data=*/false));
  return page;
}

Page series_page(const Store& store, const HistorySeries& series, const std::vector<MetricChoice>& choices,
                 std::size_t most) {
  Page page;
  page.title = fmt::format("{}: {}", series.id, series.name);
  page.summary.push_back({fmt::format("On {}: {} from {} to {}.", series.machine,
                                      counted(static_cast<std::size_t>(series.runs), "run"),
                                      date_text(series.first_at), date_text(series.last_at))});
  std::vector<SeriesPoints> known;
  for (const MetricChoice& choice : choices) {
    const SeriesPoints found = load_points(store, series.id, choice, most);
    page.summary.push_back(
        describe_values(found.metric == nullptr ? *choice.front() : *found.metric, found.points));
    if (found.metric != nullptr) known.push_back(found);
  }
  std::vector<RunValues> runs = join_runs(known, most);
  add_changes(store, series.id, runs);
  for (const auto& [metric, points] : known) add_section(page.sections, "", history_chart(*metric, points));
  add_section(page.sections, "Runs", runs_table(runs, known));
  page.data = runs_data(runs, series, known);
  return page;
}

Chart history_chart(const Metric& metric, const std::vector<SeriesPoint>& points) {
  Chart chart{.title = capitalized(metric.noun()) + " by run",
              .kind = ChartKind::kPoints,
              .x = {.label = "start of the run, UTC", .is_time = true},
              .y = {.label = metric.noun(), .unit = metric.unit},
              .series = {},
              .is_in_text = true};
  // The order determines colours and markers.
  for (const bool is_warned : {false, true}) {
    for (const SeriesPoint& point : points) {
      const Measured<Stamp> start = parse_stamp(point.started_at);
      if (start.has_value() && point.is_warned == is_warned)
        add_point(chart.series, is_warned ? "median of a run with a warning" : "median of a run",
                  make_point(start.value().local.value, point));
    }
  }
  return chart;
}

std::string describe_changes(const std::vector<Difference>& changes) {
  constexpr std::size_t kLongest = 24;
  const auto shortened = [](const std::string& value) {
    const std::string text = plain_text(value);
    const std::string_view start = fitting(text, kLongest);
    return std::string(start) + (start.size() < text.size() ? "…" : "");
  };
  const auto describe = [&](const Difference& change) {
    return fmt::format("{} {} -> {}", change.what, shortened(change.left), shortened(change.right));
  };
  return join(mapped(changes, describe), "; ");
}

}  // namespace gpubench
