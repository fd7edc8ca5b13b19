// Lines or points over a scale, with intervals, a baseline and marks.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "formats/chart/chart.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/record/page.h"

namespace gpubench {
namespace {

struct PlacedMark {
  double x = 0;         ///< Of the line.
  double start = 0;     ///< Of the text, beside the line.
  std::size_t row = 0;  ///< Of the text, from the plot upwards.
  std::string text;
};

constexpr double kMarkRow = 16;
constexpr double kFromLine = 4;

/// Right of the line, or left of it at the edge.
double start_of_text(double line, double text_width, double width) {
  if (line + kFromLine + text_width <= width) return line + kFromLine;
  return std::clamp(line - kFromLine - text_width, 0.0, std::max(0.0, width - text_width));
}

/// The marks that the x axis can show, from the right. A text is in the lowest row where it touches none to
/// its right, so that no line of theirs crosses it.
std::vector<PlacedMark> place_marks(const Chart& chart, const Scale& scale, double width) {
  std::vector<PlacedMark> placed;
  std::vector<double> row_starts;
  std::vector<Mark> marks = chart.marks;
  std::erase_if(marks, [&](const Mark& mark) { return !can_show(mark.x, chart.x.is_logarithmic); });
  std::ranges::stable_sort(marks, std::greater(), &Mark::x);
  for (const Mark& mark : marks) {
    const std::string text = shortened(mark.text, width);
    const double x = scale.at(mark.x);
    const double start = start_of_text(x, text_width(text), width);
    const double end = start + text_width(text) + kFontSize;
    const auto free = std::ranges::find_if(row_starts, [&](double next) { return end < next; });
    const auto row = static_cast<std::size_t>(free - row_starts.begin());
    if (free == row_starts.end()) row_starts.emplace_back();
    row_starts[row] = std::min(start, x);
    placed.push_back({x, start, row, text});
  }
  return placed;
}

/// Room that the texts need above the plot.
double compute_height(const std::vector<PlacedMark>& marks) {
  if (marks.empty()) return 0;
  const std::size_t last = std::ranges::max(marks, {}, &PlacedMark::row).row;
  return kMarkRow * static_cast<double>(last + 1) + 4;
}

std::string draw_marks(const std::vector<PlacedMark>& marks, const Area& area) {
  std::string lines;
  std::string texts;
  for (const PlacedMark& mark : marks) {
    const double text_bottom = area.top - 8 - kMarkRow * static_cast<double>(mark.row);
    lines += line_between(mark.x, text_bottom - 9, mark.x, area.bottom, "mark");
    texts += text_at(mark.start, text_bottom, "over", mark.text);
  }
  return lines + texts;
}

constexpr double kTitleRow = 20;
constexpr double kWide = 600;
// More intervals than that are clearer as a band, more markers than that hide the line.
constexpr std::size_t kMostWhiskers = 16;
constexpr std::size_t kMostMarkers = 40;

struct Plot {
  const Chart& chart;
  Scale x;
  Scale y;
};

std::vector<Point> shown_points(const Chart& chart, const Series& series) {
  std::vector<Point> points = series.points;
  std::erase_if(points, [&](const Point& point) {
    return !can_show(point.x, chart.x.is_logarithmic) || !can_show(point.y, chart.y.is_logarithmic);
  });
  return points;
}

std::vector<double> x_values(const Chart& chart) {
  std::vector<double> values;
  for (const Series& series : chart.series) append(values, mapped(shown_points(chart, series), &Point::x));
  return values;
}

// A time near 0 is judged by its distance from 0.
Range y_range(const Chart& chart) {
  std::vector<double> values = y_values(chart);
  const Range range = compute_range(values, chart.y.is_logarithmic);
  if (chart.y.is_logarithmic || range.low <= 0 || range.low > 0.6 * range.high) return range;
  values.push_back(0);
  return compute_range(values, false);
}

Range x_range(const Chart& chart) {
  std::vector<double> values = x_values(chart);
  append(values, mapped(chart.marks, &Mark::x));
  return compute_range(values, chart.x.is_logarithmic);
}

std::string band(const Plot& plot, const std::vector<Point>& points) {
  std::string there;
  std::string back;
  for (const Point& point : points) {
    const std::string x = px(plot.x.at(point.x));
    there += fmt::format("{} {} ", x, px(plot.y.at(*point.high)));
    back = fmt::format("{} {} ", x, px(plot.y.at(*point.low))) + back;
  }
  back.pop_back();
  return fmt::format("<polygon class=\"band\" points=\"{}{}\"/>\n", there, back);
}

std::string intervals(const Plot& plot, std::vector<Point> points) {
  std::erase_if(points, [&](const Point& point) { return !has_interval(point, plot.chart.y); });
  const bool is_line = plot.chart.kind == ChartKind::kLines;
  if (is_line && points.size() > kMostWhiskers) return band(plot, points);
  std::string svg;
  for (const Point& point : points) {
    const double x = plot.x.at(point.x);
    svg += fmt::format("<path class=\"whisker\" d=\"M{0} {1}V{2}M{3} {1}h6M{3} {2}h6\"/>\n", px(x),
                       px(plot.y.at(*point.low)), px(plot.y.at(*point.high)), px(x - 3));
  }
  return svg;
}

std::string polyline(const Plot& plot, std::size_t series, const std::vector<Point>& points) {
  if (points.size() < 2 || plot.chart.kind == ChartKind::kPoints) return "";
  const auto format_place = [&](const Point& point) {
    return px(plot.x.at(point.x)) + " " + px(plot.y.at(point.y));
  };
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", dash_class(series),
                     join(mapped(points, format_place), " "));
}

std::string markers(const Plot& plot, std::size_t series, const std::vector<Point>& points) {
  // Without a line a point that is left out is lost.
  const std::size_t step = plot.chart.kind == ChartKind::kPoints ? 1 : points.size() / kMostMarkers + 1;
  std::string svg;
  for (std::size_t i = 0; i < points.size(); i += step) {
    svg += fmt::format("<g>{}{}</g>\n", tooltip(plot.chart, plot.chart.series[series], points[i]),
                       marker(series, plot.x.at(points[i].x), plot.y.at(points[i].y)));
  }
  return svg;
}

std::string line_series(const Plot& plot, std::size_t series) {
  const std::vector<Point> points = shown_points(plot.chart, plot.chart.series[series]);
  return fmt::format("<g class=\"{}\">\n{}{}{}</g>\n", series_class(series), intervals(plot, points),
                     polyline(plot, series, points), markers(plot, series, points));
}

std::string draw_series(const Plot& plot, const Area& area) {
  std::string svg;
  if (plot.chart.baseline && can_show(*plot.chart.baseline, plot.chart.y.is_logarithmic)) {
    const double y = plot.y.at(*plot.chart.baseline);
    svg += line_between(area.left, y, area.right, y, "baseline");
  }
  for (std::size_t i = 0; i < plot.chart.series.size(); ++i) svg += line_series(plot, i);
  if (!x_values(plot.chart).empty()) return svg;
  return svg + text_at((area.left + area.right) / 2, (area.top + area.bottom) / 2, "mid dim", "no values");
}

}  // namespace

Drawing line_chart(const Chart& chart, const std::string& id, double width) {
  const double plot_height = width < kWide ? 230 : 300;
  const Range ys = y_range(chart);
  const Range xs = x_range(chart);
  const std::vector<double> y_ticks =
      axis_ticks(chart.y, y_values(chart), ys, static_cast<int>(plot_height / 45));
  const std::vector<double> x_ticks = axis_ticks(chart.x, x_values(chart), xs, static_cast<int>(width / 70));
  Area area{widest_label(y_ticks, chart.y.unit) + 10, 0, width - kRightRoom, 0};
  const Scale x{xs, chart.x.is_logarithmic, area.left, area.right};
  const Drawing names = legend(chart, id, width);
  const std::vector<PlacedMark> marks = place_marks(chart, x, width);
  area.top = names.height + kTitleRow + compute_height(marks);
  area.bottom = area.top + plot_height;
  const Plot plot{chart, x, {ys, chart.y.is_logarithmic, area.bottom, area.top}};

  std::string svg = names.content + text_at(0, names.height + 10, "", shortened(axis_title(chart.y), width));
  svg += axis_left(y_ticks, plot.y, chart.y.unit, area) + axis_below(x_ticks, x, chart.x.unit, area, width);
  svg += line_between(area.left, area.bottom, area.right, area.bottom, "axis");
  svg += draw_marks(marks, area) + draw_series(plot, area);
  return with_title_below(std::move(svg), chart.x, area, width);
}

}  // namespace gpubench
