#include "history/history_page.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/utf8.h"
#include "pages/format.h"
#include "power/log/values.h"

namespace gpubench {
namespace {

/// Returns "2026-11-26" for "2026-11-26T06:34:09Z".
std::string date_text(const std::string& utc) { return utc.substr(0, utc.find('T')); }

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
  const std::vector<double> values = mapped(points, &SeriesPoint::value);
  const double median = compute_median(values);
  if (!(median > 0)) return missing("the values are zero");
  const auto [least, most] = std::ranges::minmax(values);
  return (most - least) / median;
}

/// A series and its latest points by its main metric.
struct SeriesLine {
  HistorySeries series;
  const Metric* metric;
  std::vector<SeriesPoint> last;
};

Table series_data(const std::vector<SeriesLine>& lines) {
  Columns<SeriesLine> columns(lines);
  columns.add({"series"}, [](const SeriesLine& line) { return line.series.id; });
  columns.add({"work"}, [](const SeriesLine& line) { return line.series.name; });
  columns.add({"machine"}, [](const SeriesLine& line) { return line.series.machine; });
  columns.add({"runs"}, [](const SeriesLine& line) { return line.series.runs; });
  columns.add({"first_at"}, [](const SeriesLine& line) { return line.series.first_at; });
  columns.add({"last_at"}, [](const SeriesLine& line) { return line.series.last_at; });
  columns.add({"metric"}, [](const SeriesLine& line) { return line.metric ? line.metric->key : ""; });
  columns.add({"last_value"}, [](const SeriesLine& line) {
    return line.last.empty() ? Cell{""} : Cell{"", line.last.back().value};
  });
  columns.add({"spread"}, [](const SeriesLine& line) { return value_cell(compute_spread(line.last)); });
  return columns.take();
}

Table series_table(const std::vector<SeriesLine>& lines) {
  Columns<SeriesLine> columns(lines);
  columns.number("series", "", [](const SeriesLine& line) { return line.series.id; });
  columns.text("work", [](const SeriesLine& line) { return line.series.name; });
  columns.text("machine", [](const SeriesLine& line) { return line.series.machine; });
  columns.number("runs", "", [](const SeriesLine& line) { return line.series.runs; });
  columns.add({.heading = "first run", .is_number = true, .is_detail = true},
              [](const SeriesLine& line) { return date_text(line.series.first_at); });
  columns.add({.heading = "last run", .is_number = true},
              [](const SeriesLine& line) { return date_text(line.series.last_at); });
  columns.number("last value", "", [](const SeriesLine& line) {
    return line.last.empty() ? no_figure("") : value_text_cell(line.last.back().value, *line.metric);
  });
  columns.number("spread", "",
                 [](const SeriesLine& line) { return percent_cell(compute_spread(line.last)); });
  return folded(columns.take(
      "", {"Last value: epoch, fit or call time, or latency, of the last run",
           fmt::format("Spread: range of the last {} runs, divided by their median", kRunsOfSpread)}));
}

std::string state_text(const RunLine& line) {
  if (line.is_running) return "running";
  return line.run.finished_at.empty() ? "unfinished" : "finished";
}

/// The points of several metrics for one run.
struct RunValues {
  SeriesPoint point;  ///< The point of any of the metrics.
  std::map<const Metric*, SeriesPoint> values;
  std::string changes;  ///< Changed conditions since the previous run.
};

using MetricPoints = std::vector<std::pair<const Metric*, std::vector<SeriesPoint>>>;

std::vector<RunValues> join_runs(const MetricPoints& metrics, std::size_t most) {
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
    const SeriesRun* now = nullptr;
    try {
      now = known.find(run.point.run, series);
    } catch (const Error&) {
      run.changes = "unknown: the run cannot be read";
    }
    if (before != nullptr && now != nullptr) run.changes = describe_changes(list_changes(*before, *now));
    if (now != nullptr) before = now;
  }
}

Cell point_cell(const RunValues& run, const Metric& metric) {
  const auto found = run.values.find(&metric);
  return found == run.values.end() ? no_figure("not measured in this run")
                                   : value_text_cell(found->second.value, metric);
}

/// Returns "11.5 to 11.9 s", or "980 ms to 1.02 s" if the units differ.
std::string interval_cell(const RunValues& run, const Metric& metric) {
  const auto found = run.values.find(&metric);
  if (found == run.values.end() || !found->second.interval) return "";
  std::string low = prefixed_text(found->second.interval->low, metric.unit);
  const std::string high = prefixed_text(found->second.interval->high, metric.unit);
  const std::string unit = high.substr(high.find(' '));
  if (low.ends_with(unit)) low.resize(low.size() - unit.size());
  return low + " to " + high;
}

Table runs_table(const std::vector<RunValues>& runs, const MetricPoints& metrics) {
  Columns<RunValues> columns(runs);
  columns.number("run", "", [](const RunValues& run) { return run.point.run; });
  columns.number("started (UTC)", "", [](const RunValues& run) { return minute_text(run.point.started_at); });
  for (const auto& entry : metrics) {
    const Metric& metric = *entry.first;
    columns.number(metric.label, "", [&metric](const RunValues& run) { return point_cell(run, metric); });
    columns.add_known(
        {.heading = "95 % interval", .is_number = true, .is_detail = &entry != &metrics.front()},
        [&metric](const RunValues& run) { return interval_cell(run, metric); });
  }
  columns.text("processes", [](const RunValues& run) { return std::to_string(run.point.processes); });
  columns.add_known({"changed since previous run"}, [](const RunValues& run) { return run.changes; });
  return folded(columns.take());
}

Table runs_data(const std::vector<RunValues>& runs, const HistorySeries& series,
                const MetricPoints& metrics) {
  Columns<RunValues> columns(runs);
  columns.add({"series"}, [&series](const RunValues&) { return series.id; });
  columns.add({"run"}, [](const RunValues& run) { return run.point.run; });
  columns.add({"started_at"}, [](const RunValues& run) { return run.point.started_at; });
  for (const auto& entry : metrics) {
    const Metric& metric = *entry.first;
    const auto find_estimate = [&metric](const RunValues& run) -> Measured<Estimate> {
      const auto found = run.values.find(&metric);
      if (found == run.values.end()) return missing("not measured");
      Estimate estimate{found->second.value};
      if (found->second.interval) estimate.interval = *found->second.interval;
      return estimate;
    };
    columns.add_estimate({metric.key, metric.key + "_low", metric.key + "_high"}, find_estimate);
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
  const std::vector<double> values = mapped(points, &SeriesPoint::value);
  const auto [least, most] = std::ranges::minmax(values);
  const auto text = [&](double value) { return prefixed_text(value, metric.unit); };
  return {fmt::format("{}: last {}; median of the last {} {} ({} to {}).", capitalized(metric.noun()),
                      text(values.back()), counted(values.size(), "run"), text(compute_median(values)),
                      text(least), text(most))};
}

}  // namespace

Page series_list_page(const Store& store) {
  const MetricChoice choice = series_metrics();
  const std::vector<SeriesLine> lines = mapped(load_series(store), [&](const HistorySeries& series) {
    auto [metric, points] = load_points(store, series.id, choice, kRunsOfSpread);
    return SeriesLine{series, metric, std::move(points)};
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
    columns.text("state", state_text);
    if (is_data) columns.text("run_id", [](const RunLine& line) { return line.run.run_id; });
    columns.text("result file", [is_data](const RunLine& line) {
      const std::filesystem::path file = line.run.output;
      return is_data ? line.run.output : file.filename().string();
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
  MetricPoints known;
  for (const MetricChoice& choice : choices) {
    auto [metric, points] = load_points(store, series.id, choice, most);
    page.summary.push_back(describe_values(metric == nullptr ? *choice.front() : *metric, points));
    if (metric != nullptr) known.emplace_back(metric, std::move(points));
  }
  std::vector<RunValues> runs = join_runs(known, most);
  add_changes(store, series.id, runs);
  for (const auto& [metric, points] : known) add_section(page.sections, "", history_chart(*metric, points));
  add_section(page.sections, "Runs", runs_table(runs, known));
  page.data = runs_data(runs, series, known);
  return page;
}

Chart history_chart(const Metric& metric, const std::vector<SeriesPoint>& points) {
  constexpr const char* kWarned = "median of a run with a warning";
  Chart chart;
  chart.title = capitalized(metric.noun()) + " by run";
  chart.kind = ChartKind::kPoints;
  chart.x = {.label = "start of the run, UTC", .is_time = true};
  chart.y = {.label = metric.noun(), .unit = metric.unit};
  chart.is_in_text = true;
  for (const SeriesPoint& point : points) {
    const Measured<Stamp> start = parse_stamp(point.started_at);
    if (!start.has_value()) continue;
    Point place{start.value().local.value, point.value};
    if (point.interval) {
      place.low = point.interval->low;
      place.high = point.interval->high;
    }
    add_point(chart.series, point.is_warned ? kWarned : "median of a run", place);
  }
  // The order determines colours and markers.
  std::ranges::sort(chart.series, {}, [](const Series& series) { return series.name == kWarned; });
  return chart;
}

std::string describe_changes(const std::vector<Difference>& changes) {
  constexpr std::size_t kLongest = 24;
  const auto shortened = [](const std::string& value) {
    const std::string text = plain_text(value);
    const std::string_view start = fitting(text, kLongest);
    return std::string(start) + (start.size() < text.size() ? "…" : "");
  };
  return join(mapped(changes,
                     [&](const Difference& change) {
                       return fmt::format("{} {} -> {}", change.what, shortened(change.left),
                                          shortened(change.right));
                     }),
              "; ");
}

}  // namespace gpubench
