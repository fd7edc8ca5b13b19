#include "formats/chart/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "formats/chart/scale.h"
#include "formats/parts/page_text.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

constexpr double kPlotHeight = 300;
constexpr double kPlotRight = kChartWidth - 30;  // Leaves space for half of the last tick's label.
constexpr double kTextRow = 20;
constexpr double kTextDrop = kFontSize * 0.35;  // Distance from the middle of a line of text to its baseline.

double text_width(const std::string& text) {
  return kCharacterWidth * static_cast<double>(display_width(plain_text(text)));
}

/// Truncates `text` to `width` pixels.
std::string shortened(const std::string& text, double width) {
  return clipped(text, static_cast<std::size_t>(width / kCharacterWidth));
}

std::string line_between(double x1, double y1, double x2, double y2, std::string_view classes) {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", px(x1), px(y1), px(x2),
                     px(y2), classes);
}

// Styles of series, which repeat. Consecutive series differ even without colour.

std::string series_class(std::size_t series) { return fmt::format("series-{}", series % 8); }
std::string dash_class(std::size_t series) { return fmt::format("line dash-{}", series % 4); }

std::string bar_class(std::size_t series) {
  constexpr std::array kFills = {"bar solid", "bar pale", "bar open"};
  return kFills.at(series % kFills.size());
}

std::string marker(std::size_t series, double x, double y) {
  constexpr std::array kShapes = {
      "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
      "m-3.5-3.5h7v7h-7z",
      "m0-4.8l4.5 8h-9z",
      "m0-5l5 5l-5 5l-5-5z",
      "m0 4.8l4.5-8h-9z",
  };
  return fmt::format("<path class=\"solid\" d=\"M{} {}{}\"/>", px(x), px(y),
                     kShapes.at(series % kShapes.size()));
}

std::string swatch(ChartKind kind, std::size_t series, double x, double y) {
  const std::string line = kind == ChartKind::kLines ? line_between(x, y, x + 24, y, dash_class(series)) : "";
  const std::string shape =
      kind == ChartKind::kBars
          ? fmt::format("<rect x=\"{}\" y=\"{}\" width=\"22\" height=\"11\" class=\"{}\"/>", px(x),
                        px(y - 5.5), bar_class(series))
          : marker(series, x + 12, y);
  return fmt::format("<g class=\"{}\">\n{}{}\n</g>\n", series_class(series), line, shape);
}

/// Returns the legend; empty for a single series without a name.
Drawing legend(const Chart& chart) {
  constexpr double kSwatch = 30;
  constexpr double kBetween = 18;
  if (chart.series.empty() || (chart.series.size() == 1 && chart.series.front().name.empty())) return {};
  Drawing names{"", kTextRow / 2};
  double x = 0;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string name = shortened(chart.series[i].name, kChartWidth - kSwatch);
    const double needed = kSwatch + text_width(name);
    if (x > 0 && x + needed > kChartWidth) {
      x = 0;
      names.height += kTextRow;
    }
    names.content +=
        swatch(chart.kind, i, x, names.height) + text_at(x + kSwatch, names.height + kTextDrop, "", name);
    x += needed + kBetween;
  }
  names.height += kTextRow / 2 + 8;
  return names;
}

/// Returns a tooltip with series, position and value with interval.
std::string tooltip(const Chart& chart, const Series& series, const Point& point) {
  const auto with_unit = [](double value, const std::string& unit) {
    return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
  };
  const std::string place = chart.kind == ChartKind::kBars
                                ? chart.x.categories[static_cast<std::size_t>(point.x)]
                            : chart.x.is_time ? time_text(point.x)
                                              : with_unit(point.x, chart.x.unit);
  std::string text = fmt::format("{}, {}{}{}: {}", series.name, point.name, point.name.empty() ? "" : ", ",
                                 place, with_unit(point.y, chart.y.unit));
  if (point.low) text += fmt::format(" ({:.4g} to {:.4g})", *point.low, *point.high);
  return "<title>" + escaped(text) + "</title>";
}

std::string tick_labels(const Scale& scale, double y) {
  std::string svg;
  for (const Tick& tick : scale.ticks) svg += text_at(scale.at(tick.value), y, "mid dim", tick.label);
  return svg;
}

Drawing with_axis_below(const std::string& svg, const Scale& scale, double top, double bottom) {
  std::string grid;
  for (const Tick& tick : scale.ticks)
    grid += line_between(scale.at(tick.value), top, scale.at(tick.value), bottom, "grid");
  const std::string title = shortened(axis_title(scale.axis), scale.to - scale.from);
  const std::string below = text_at((scale.from + scale.to) / 2, bottom + 36, "mid", title);
  return {grid + svg + tick_labels(scale, bottom + 17) + below, bottom + 44};
}

std::string draw_axis_left(const Scale& scale, double left) {
  std::string svg;
  for (const Tick& tick : scale.ticks) {
    const double y = scale.at(tick.value);
    svg += line_between(left, y, kPlotRight, y, "grid");
    svg += text_at(left - 8, y + kTextDrop, "end dim", tick.label);
  }
  return svg;
}

std::string draw_line(const Chart& chart, std::size_t series, const Scale& x, const Scale& y) {
  constexpr std::size_t kMostMarkers = 40;  // More hide the line.
  const std::vector<Point>& points = chart.series[series].points;
  std::string svg;
  std::vector<std::string> places;
  for (const Point& point : points) {
    const double left = x.at(point.x);
    places.push_back(px(left) + " " + px(y.at(point.y)));
    if (point.low)
      svg += fmt::format("<path class=\"whisker\" d=\"M{0} {1}V{2}M{3} {1}h6M{3} {2}h6\"/>\n", px(left),
                         px(y.at(*point.low)), px(y.at(*point.high)), px(left - 3));
  }
  const bool has_line = chart.kind == ChartKind::kLines;
  if (has_line && points.size() > 1)
    svg += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", dash_class(series), join(places, " "));
  const std::size_t step = has_line ? points.size() / kMostMarkers + 1 : 1;
  for (std::size_t i = 0; i < points.size(); i += step)
    svg += fmt::format("<g>{}{}</g>\n", tooltip(chart, chart.series[series], points[i]),
                       marker(series, x.at(points[i].x), y.at(points[i].y)));
  return fmt::format("<g class=\"{}\">\n{}</g>\n", series_class(series), svg);
}

Drawing draw_lines(const Chart& chart) {
  const Drawing names = legend(chart);
  const double top = names.height + kTextRow;
  const double bottom = top + kPlotHeight;
  const Scale y = make_y_scale(chart, 6, bottom, top);
  double left = 0;
  for (const Tick& tick : y.ticks) left = std::max(left, text_width(tick.label) + 10);
  std::vector<double> places;
  for (const Series& series : chart.series) append(places, mapped(series.points, &Point::x));
  const Scale x(chart.x, places, chart.x.is_time ? 6 : 11, left, kPlotRight);
  std::string svg = names.content;
  svg += text_at(0, names.height + 10, "", shortened(axis_title(chart.y), kChartWidth));
  svg += draw_axis_left(y, left) + line_between(left, bottom, kPlotRight, bottom, "axis");
  if (chart.baseline)
    svg += line_between(left, y.at(*chart.baseline), kPlotRight, y.at(*chart.baseline), "baseline");
  for (std::size_t i = 0; i < chart.series.size(); ++i) svg += draw_line(chart, i, x, y);
  if (places.empty()) svg += text_at((left + kPlotRight) / 2, (top + bottom) / 2, "mid dim", "no values");
  return with_axis_below(svg, x, top, bottom);
}

// Bars are horizontal, so that long names stay readable and many categories make the chart taller.

constexpr double kBetweenGroups = 12;
constexpr double kWidestNames = 0.6 * kChartWidth;

struct BarRows {
  explicit BarRows(const Chart& chart, double its_top) : top(its_top) {
    const std::size_t count = std::max<std::size_t>(1, chart.series.size());
    thickness = count <= 2 ? 14 : count <= 4 ? 11 : 8;
    group = thickness * static_cast<double>(count) + kBetweenGroups;
    bottom = top + group * static_cast<double>(std::max<std::size_t>(1, chart.x.categories.size()));
    for (const std::string& name : chart.x.categories) left = std::max(left, text_width(name) + 10);
    left = std::min(left, kWidestNames);
  }

  double top;
  double bottom;
  double left = 30;
  double thickness;
  double group;  ///< Distance from one category to the next.
};

std::string draw_categories(const Chart& chart, const BarRows& rows) {
  std::string svg = text_at(0, rows.top - 10, "dim", shortened(chart.x.label, rows.left));
  double middle = rows.top + rows.group / 2;
  for (const std::string& name : chart.x.categories) {
    svg += text_at(rows.left - 8, middle + kTextDrop, "end", shortened(name, rows.left - 8));
    middle += rows.group;
  }
  return svg;
}

std::string draw_bar(const BarRows& rows, const Scale& scale, double start, std::size_t series,
                     const Point& point) {
  const double top =
      rows.top + kBetweenGroups / 2 + rows.group * point.x + rows.thickness * static_cast<double>(series);
  const double end = scale.at(point.y);
  const std::string bar = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>", px(std::min(start, end)),
      px(top + 1), px(std::max(1.0, std::abs(end - start))), px(rows.thickness - 2), bar_class(series));
  if (!point.low) return bar;
  const double half = std::min(3.0, rows.thickness / 2 - 2);
  const double middle = top + rows.thickness / 2;
  const std::string path =
      fmt::format("M{0} {1}H{2}M{0} {3}v{4}M{2} {3}v{4}", px(scale.at(*point.low)), px(middle),
                  px(scale.at(*point.high)), px(middle - half), px(2 * half));
  return bar + fmt::format("<path class=\"halo\" d=\"{0}\"/><path class=\"whisker ink\" d=\"{0}\"/>", path);
}

Drawing draw_bars(const Chart& chart) {
  constexpr double kTall = 500;  // Taller charts have tick labels at the top, too.
  const Drawing names = legend(chart);
  const BarRows rows(chart, names.height + kTextRow);
  std::vector<double> values = list_values(chart);
  const bool starts_at_zero = !chart.baseline && !chart.y.is_logarithmic;
  if (starts_at_zero) values.push_back(0);
  const Scale scale(chart.y, values, static_cast<int>((kPlotRight - rows.left) / 65), rows.left, kPlotRight);
  const double start = scale.at(chart.baseline ? *chart.baseline : starts_at_zero ? 0 : scale.range.low);
  std::string svg = names.content + draw_categories(chart, rows);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    svg += fmt::format("<g class=\"{}\">\n", series_class(i));
    for (const Point& point : chart.series[i].points)
      svg += fmt::format("<g>{}{}</g>\n", tooltip(chart, chart.series[i], point),
                         draw_bar(rows, scale, start, i, point));
    svg += "</g>\n";
  }
  svg += line_between(start, rows.top, start, rows.bottom, chart.baseline ? "baseline" : "axis");
  if (rows.bottom - rows.top > kTall) svg += tick_labels(scale, rows.top - 7);
  return with_axis_below(svg, scale, rows.top, rows.bottom);
}

}  // namespace

std::string px(double length) {
  std::string text = fmt::format("{:.1f}", length);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string text_at(double x, double y, std::string_view classes, std::string_view text) {
  const std::string looks = classes.empty() ? "" : fmt::format(" class=\"{}\"", classes);
  return fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", px(x), px(y), looks, escaped(text));
}

Drawing draw_chart(const Chart& given, const std::string& id, const std::string& attributes) {
  constexpr std::array kKinds = {"Lines", "Bars", "Points"};
  const Chart chart = make_showable(given);
  const std::string description = fmt::format(
      "{}: {} by {}.", kKinds.at(static_cast<std::size_t>(chart.kind)), chart.y.label, chart.x.label);
  Drawing drawing = chart.kind == ChartKind::kBars ? draw_bars(chart) : draw_lines(chart);
  drawing.content = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" aria-labelledby=\"{2}-title {2}-desc\"{3}>\n"
      "<title id=\"{2}-title\">{4}</title>\n<desc id=\"{2}-desc\">{5}</desc>\n{6}</svg>\n",
      px(kChartWidth), px(drawing.height), id, attributes, escaped(chart.title), escaped(description),
      drawing.content);
  return drawing;
}

}  // namespace gpubench
