#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "gpubench/record/derived.h"
#include "pages/run_sections.h"
#include "pages/words.h"

namespace gpubench {
namespace {

/// More lines than this in one chart cannot be told apart.
constexpr std::size_t kMostLines = 8;

/// Fewer epochs tell nothing that the table does not.
constexpr std::size_t kLeastEpochs = 4;

/// Where the largest value is so many times the least, an axis from zero would hide the small ones.
constexpr double kWideSpread = 50;

/// A row as a point above `x`, where it has the figure.
using FigurePoint = std::function<std::optional<Point>(double x, const RowFigures&)>;

std::optional<Point> time_point(double x, const RowFigures& row) { return point_of(x, row.seconds.value()); }

std::optional<Point> throughput_point(double x, const RowFigures& row) {
  const std::int64_t samples = row.identity.number("train_samples");
  if (samples <= 0) return std::nullopt;
  return rate_point(x, static_cast<double>(samples), row.seconds.value());
}

/// A line a model, device and mode, over the batch.
std::vector<Series> lines_by_batch(const std::vector<RowFigures>& timed, const RowNames& names,
                                   const FigurePoint& point_of) {
  std::vector<Series> lines;
  for (const RowFigures& row : timed) {
    const std::int64_t batch = row.identity.number("batch");
    const std::optional<Point> point = point_of(static_cast<double>(batch), row);
    if (!point || batch <= 0) continue;
    series_called(one_line(names.of(row.identity.without({"batch"}))), lines).points.push_back(*point);
  }
  sort_points(lines);
  return lines;
}

void add_bar(Chart& chart, const std::string& category, Point point) {
  if (!std::isfinite(point.y)) return;
  point.x = static_cast<double>(chart.x.categories.size());
  chart.x.categories.push_back(category);
  chart.series.front().points.push_back(point);
}

Chart empty_bars(std::string title, Axis y) {
  std::string label = y.label;
  return {std::move(title), ChartKind::kBars, {"case"}, std::move(y), {{std::move(label), {}}}};
}

Chart bars(std::string title, Axis y, const std::vector<RowFigures>& timed, const RowNames& names,
           const FigurePoint& point_of) {
  Chart chart = empty_bars(std::move(title), std::move(y));
  for (const RowFigures& row : timed) {
    const std::optional<Point> point = point_of(0, row);
    if (point) add_bar(chart, one_line(names.of(row.identity)), *point);
  }
  return chart;
}

bool is_widely_spread(const std::vector<Series>& lines) {
  double least = INFINITY;
  double most = 0;
  for (const Series& line : lines) {
    for (const Point& point : line.points) {
      least = std::min(least, point.y);
      most = std::max(most, point.y);
    }
  }
  return most > kWideSpread * least;
}

/// Lines where any case was run with several batches, else bars.
Chart chart_by_batch(std::string title, Axis y, const std::vector<RowFigures>& timed, const RowNames& names,
                     const FigurePoint& point_of) {
  std::vector<Series> lines = lines_by_batch(timed, names, point_of);
  y.is_logarithmic = y.is_logarithmic || is_widely_spread(lines);
  const bool is_line = std::ranges::any_of(lines, [](const Series& s) { return s.points.size() > 1; });
  if (!is_line) return bars(std::move(title), std::move(y), timed, names, point_of);
  return {
      std::move(title) + " by batch", ChartKind::kLines, {"batch", "", true}, std::move(y), std::move(lines)};
}

/// A single bar shows no more than the table.
bool is_worth_a_look(const Chart& chart) {
  std::size_t points = 0;
  for (const Series& series : chart.series) points += series.points.size();
  return points > 1;
}

Section section_of(std::string title, std::vector<Chart> charts) {
  Section section{std::move(title), {}};
  for (Chart& chart : charts) {
    if (is_worth_a_look(chart)) section.blocks.emplace_back(std::move(chart));
  }
  return section;
}

Series epochs_of(const CaseRecord& c, const CaseNames& names) {
  Series series{names.one(c), {}};
  for (std::size_t i = 0; i < c.epoch_seconds.size(); ++i) {
    if (std::isfinite(c.epoch_seconds[i]))
      series.points.push_back({static_cast<double>(i + 1), c.epoch_seconds[i]});
  }
  return series;
}

Chart epoch_chart() { return {"Times of epochs", ChartKind::kLines, {"epoch"}, {"epoch time", "s"}, {}}; }

/// Where times fall at first and rise later, bursts are faster than what the machine sustains. Lines are
/// spread evenly over as few charts as hold them.
std::vector<Chart> epoch_charts(const std::vector<CaseRecord>& cases, const CaseNames& names) {
  std::vector<Series> lines;
  for (const CaseRecord& c : cases) {
    Series line = epochs_of(c, names);
    if (line.points.size() >= kLeastEpochs) lines.push_back(std::move(line));
  }
  std::vector<Chart> charts((lines.size() + kMostLines - 1) / kMostLines, epoch_chart());
  for (std::size_t i = 0; i < lines.size(); ++i)
    charts[i * charts.size() / lines.size()].series.push_back(std::move(lines[i]));
  return charts;
}

/// A bar for each case that ended well and has the figure.
Chart case_bars(std::string title, Axis y, std::string note, const std::vector<CaseRecord>& cases,
                const CaseNames& names, Reading<double> (*figure_of)(const CaseRecord&)) {
  Chart chart = empty_bars(std::move(title), std::move(y));
  chart.notes = {std::move(note)};
  for (const CaseRecord& c : cases) {
    const Reading<double> figure = figure_of(c);
    if (c.status == RowStatus::kOk && figure.has_value()) add_bar(chart, names.one(c), {0, figure.value()});
  }
  return chart;
}

Chart utilisation_chart(const std::vector<CaseRecord>& cases, const CaseNames& names) {
  return case_bars("Model FLOP utilisation", {"MFU", "%"},
                   "part of the largest rate that the device reached in a matrix product of this precision",
                   cases, names,
                   [](const CaseRecord& c) { return mfu(c).then([](double part) { return 100 * part; }); });
}

Chart startup_chart(const std::vector<CaseRecord>& cases, const CaseNames& names) {
  return case_bars(
      "Start-up time", {"start-up", "s"},
      "set-up, and what the first epoch took beyond a median one: below zero where that was faster", cases,
      names, startup_seconds);
}

}  // namespace

std::vector<Section> chart_sections(const RunRecord& run, const std::vector<RowFigures>& timed) {
  const CaseNames names(run.cases);
  const RowNames& rows = names.rows();
  const Axis time{"median epoch", "s", true};
  const Axis rate{"throughput", "samples/s"};
  return {
      section_of("Time and throughput", {chart_by_batch("Median epoch", time, timed, rows, time_point),
                                         chart_by_batch("Throughput", rate, timed, rows, throughput_point)}),
      section_of("Epoch by epoch", epoch_charts(run.cases, names)),
      section_of("Utilisation", {utilisation_chart(run.cases, names)}),
      section_of("Start-up", {startup_chart(run.cases, names)}),
  };
}

}  // namespace gpubench
