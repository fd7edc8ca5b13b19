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

constexpr double kPlotMargin = 30;  // Leaves space for half of the last tick's label.
constexpr double kTextRow = 20;
constexpr double kTextDrop = kFontSize * 0.35;  // Distance from the middle of a line of text to its baseline.

double text_width(const std::string& text) {
  return kCharacterWidth * static_cast<double>(display_width(plain_text(text)));
}

std::string line_between(double x1, double y1, double x2, double y2, std::string_view classes) {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", px(x1), px(y1), px(x2),
                     px(y2), classes);
}

// Styles of series, which repeat. Consecutive series differ even without colour.

std::string series_class(std::size_t series) { return fmt::format("series-{}", series % 8); }
std::string dash_class(std::size_t series) { return fmt::format("line dash-{}", series % 4); }

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

/// Writes `text` clipped to `width` pixels, with the whole text as its tooltip.
std::string clipped_at(double x, double y, std::string_view classes, const std::string& text, double width) {
  const std::string shown = clipped(text, static_cast<std::size_t>(width / kCharacterWidth));
  std::string element = text_at(x, y, classes, shown);
  if (shown != plain_text(text))
    element.insert(element.rfind("</text>"), "<title>" + escaped(text) + "</title>");
  return element;
}

/// Returns the legend of lines and points; empty for a single series without a name.
Drawing legend(const Chart& chart, double width) {
  constexpr double kSwatch = 30;
  constexpr double kBetween = 18;
  if (chart.series.empty() || (chart.series.size() == 1 && chart.series.front().name.empty())) return {};
  Drawing names{"", kTextRow / 2};
  double x = 0;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string& name = chart.series[i].name;
    const double needed = kSwatch + text_width(name);
    if (x > 0 && x + needed > width) {
      x = 0;
      names.height += kTextRow;
    }
    const std::string line = chart.kind == ChartKind::kLines
                                 ? line_between(x, names.height, x + 24, names.height, dash_class(i))
                                 : "";
    names.content +=
        fmt::format("<g class=\"{}\">\n{}{}\n</g>\n", series_class(i), line, marker(i, x + 12, names.height));
    names.content += clipped_at(x + kSwatch, names.height + kTextDrop, "", name, width - kSwatch);
    x += needed + kBetween;
  }
  names.height += kTextRow / 2 + 8;
  return names;
}

std::string tooltip(const Chart& chart, const Series& series, const Point& point) {
  const auto with_unit = [](double value, const std::string& unit) {
    return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
  };
  const std::string place = chart.x.is_time ? time_text(point.x) : with_unit(point.x, chart.x.unit);
  std::string text = fmt::format("{}, {}{}{}: {}", series.name, point.name, point.name.empty() ? "" : ", ",
                                 place, with_unit(point.y, chart.y.unit));
  if (point.low) text += fmt::format(" ({:.4g} to {:.4g})", *point.low, *point.high);
  return "<title>" + escaped(text) + "</title>";
}

Drawing with_axis_below(const std::string& svg, const Scale& scale, double width, double top, double bottom) {
  std::string grid;
  std::string labels;
  for (const Tick& tick : scale.ticks) {
    grid += line_between(scale.at(tick.value), top, scale.at(tick.value), bottom, "grid");
    labels += text_at(scale.at(tick.value), bottom + 17, "mid dim", tick.label);
  }
  const std::string below =
      clipped_at((scale.from + width) / 2, bottom + 36, "mid", axis_title(scale.axis), width - scale.from);
  return {grid + svg + labels + below, bottom + 44};
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

Drawing draw_lines(const Chart& chart, double width) {
  constexpr double kTallest = 300;
  const Drawing names = legend(chart, width);
  const double top = names.height + kTextRow;
  const double bottom = top + std::min(kTallest, 0.6 * width);
  const double right = width - kPlotMargin;
  const Scale y = make_y_scale(chart, 6, bottom, top);
  double left = 0;
  for (const Tick& tick : y.ticks) left = std::max(left, text_width(tick.label) + 10);
  std::vector<double> places;
  for (const Series& series : chart.series) append(places, mapped(series.points, &Point::x));
  const double tick_width = chart.x.is_time ? 110 : 65;
  const Scale x(chart.x, places, static_cast<int>((right - left) / tick_width), left, right);
  std::string svg = names.content;
  svg += clipped_at(0, names.height + 10, "", axis_title(chart.y), width);
  for (const Tick& tick : y.ticks) {
    svg += line_between(left, y.at(tick.value), right, y.at(tick.value), "grid");
    svg += text_at(left - 8, y.at(tick.value) + kTextDrop, "end dim", tick.label);
  }
  svg += line_between(left, bottom, right, bottom, "axis");
  if (chart.baseline)
    svg += line_between(left, y.at(*chart.baseline), right, y.at(*chart.baseline), "baseline");
  for (std::size_t i = 0; i < chart.series.size(); ++i) svg += draw_line(chart, i, x, y);
  if (places.empty()) svg += text_at((left + right) / 2, (top + bottom) / 2, "mid dim", "no values");
  return with_axis_below(svg, x, width, top, bottom);
}

// Bars are horizontal, so that long names stay readable and many bars make the chart taller.

constexpr double kThickness = 16;
constexpr double kBetweenBars = 8;

/// Returns the axis of bars that begins at `left`. It ends where the values still fit beside their bars.
Scale fit_bar_scale(const Chart& chart, const std::vector<Bar>& bars, double left, double width) {
  const Scale share = make_bar_scale(chart, 1, 0, 1);
  double right = width - kPlotMargin;
  for (const Bar& bar : bars) {
    const double end = share.at(std::max(find_bar_start(chart, share), bar.point.high.value_or(bar.point.y)));
    if (end > 0) right = std::min(right, left + (width - left - text_width(bar.value) - 8) / end);
  }
  right = std::max(right, left + 0.2 * width);
  return make_bar_scale(chart, static_cast<int>((right - left) / 65), left, right);
}

/// Draws a bar with its whisker and its value, which is at the right also if the bar extends to the left.
std::string draw_bar(const Bar& bar, const Scale& scale, double start, double top) {
  const Point& point = bar.point;
  const double end = scale.at(point.y);
  const double middle = top + kThickness / 2;
  std::string svg = fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"bar {}\"/>",
                                px(std::min(start, end)), px(top), px(std::max(1.0, std::abs(end - start))),
                                px(kThickness), bar.is_hollow ? "open" : "solid");
  double right = std::max(start, end);
  if (point.low) {
    const std::string path = fmt::format("M{0} {1}H{2}M{0} {3}v6M{2} {3}v6", px(scale.at(*point.low)),
                                         px(middle), px(scale.at(*point.high)), px(middle - 3));
    svg += fmt::format("<path class=\"halo\" d=\"{0}\"/><path class=\"whisker ink\" d=\"{0}\"/>", path);
    right = std::max(right, scale.at(*point.high));
  }
  return svg + text_at(right + 6, middle + kTextDrop, "ink", bar.value);
}

/// Draws bars with their names, at the left if they take little space, otherwise above.
Drawing draw_bars(const Chart& chart, double width) {
  const std::vector<Bar> bars = list_bars(chart);
  double left = 0;
  for (const Bar& bar : bars) left = std::max(left, text_width(bar.name) + 18);
  const bool is_above = left > 0.35 * width;
  if (is_above) left = 12;  // Space for half of the label of the first tick.
  const Scale scale = fit_bar_scale(chart, bars, left, width);
  const double start = scale.at(find_bar_start(chart, scale));
  const auto columns = static_cast<std::size_t>(width / kCharacterWidth);
  double y = kBetweenBars / 2;
  std::string svg;
  for (const Bar& bar : bars) {
    if (!bar.group.empty()) svg += clipped_at(0, y += kTextRow, "group", bar.group, width);
    if (!bar.group.empty() && !is_above) y += kBetweenBars;
    if (!is_above) svg += text_at(left - 8, y + kThickness / 2 + kTextDrop, "end", bar.name);
    for (const std::string& line : is_above ? wrapped(bar.name, columns) : std::vector<std::string>())
      svg += clipped_at(0, (y += kTextRow) - 5, "", line, width);
    svg += fmt::format("<g class=\"{}\">{}</g>\n", series_class(bar.series), draw_bar(bar, scale, start, y));
    y += kThickness + kBetweenBars;
  }
  if (bars.empty()) svg += text_at(width / 2, y += kTextRow, "mid dim", "no values");
  svg.insert(0, line_between(start, 0, start, y, chart.baseline ? "baseline" : "axis"));
  Drawing drawing = with_axis_below(svg, scale, width, 0, y);
  if (std::ranges::any_of(bars, &Bar::is_hollow)) {
    drawing.content += text_at(0, drawing.height + kTextRow, "dim", kHollowMeaning);
    drawing.height += kTextRow + 6;
  }
  return drawing;
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

Drawing draw_chart(const Chart& given, double width, const std::string& id, const std::string& attributes) {
  constexpr std::array kKinds = {"Lines", "Bars", "Points"};
  const Chart chart = make_showable(given);
  const std::string description = fmt::format(
      "{}: {} by {}.", kKinds.at(static_cast<std::size_t>(chart.kind)), chart.y.label, chart.x.label);
  Drawing drawing = chart.kind == ChartKind::kBars ? draw_bars(chart, width) : draw_lines(chart, width);
  drawing.content = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" aria-labelledby=\"{2}-title {2}-desc\"{3}>\n"
      "<title id=\"{2}-title\">{4}</title>\n<desc id=\"{2}-desc\">{5}</desc>\n{6}</svg>\n",
      px(width), px(drawing.height), id, attributes, escaped(chart.title), escaped(description),
      drawing.content);
  return drawing;
}

}  // namespace gpubench
