#include "formats/chart/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "formats/parts/page_text.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

/// The plot area, in pixels from the top left.
struct Area {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

constexpr double kTickRow = 24;    // Room for the labels of ticks below a plot, or above.
constexpr double kRightRoom = 14;  // Beside a plot.

constexpr double kTextDrop = kFontSize * 0.35;  // From the middle of a line of text to its baseline.

/// In parts of the font size.
double character_width(char32_t code) {
  // What is no printable character is shown as U+FFFD.
  if (code >= 0x1100 || code < 0x20) return 1.05;
  if (code >= 0x80) return 0.65;
  const std::string_view narrow = "iljtfrI.,:;'|!()[]{} /";
  const std::string_view wide = "mwMW@%<>=+~#&";
  if (narrow.find(static_cast<char>(code)) != std::string_view::npos) return 0.36;
  if (wide.find(static_cast<char>(code)) != std::string_view::npos) return 0.95;
  return code >= 'A' && code <= 'Z' ? 0.72 : 0.6;
}

constexpr double kRow = 20;
constexpr double kSwatch = 30;
constexpr double kBetween = 18;

std::string line_between(double x1, double y1, double x2, double y2, std::string_view classes) {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", px(x1), px(y1), px(x2),
                     px(y2), classes);
}

/// Name of the colour of a series, which repeats after eight.
std::string series_class(std::size_t series) { return fmt::format("series-{}", series % 8); }

/// A filled shape around the place; the shapes repeat after six.
std::string marker(std::size_t series, double x, double y) {
  constexpr std::array kShapes = {
      "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
      "m-3.5-3.5h7v7h-7z",
      "m0-4.8l4.5 8h-9z",
      "m0-5l5 5l-5 5l-5-5z",
      "m0 4.8l4.5-8h-9z",
      "m-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
  };
  return fmt::format("<path class=\"solid\" d=\"M{} {}{}\"/>", px(x), px(y),
                     kShapes.at(series % kShapes.size()));
}

/// Neighbours differ without colour too.
std::string bar_class(std::size_t series) {
  constexpr std::array kFills = {"bar solid", "bar pale", "bar open"};
  return kFills.at(series % kFills.size());
}

std::string dash_class(std::size_t series) { return fmt::format("line dash-{}", series % 4); }

std::string swatch(const Chart& chart, std::size_t series, double x, double y) {
  const std::string line =
      chart.kind == ChartKind::kLines ? line_between(x, y, x + 24, y, dash_class(series)) : "";
  const std::string shape =
      chart.kind == ChartKind::kBars
          ? fmt::format("<rect x=\"{}\" y=\"{}\" width=\"22\" height=\"11\" class=\"{}\"/>", px(x),
                        px(y - 5.5), bar_class(series))
          : marker(series, x + 12, y);
  return fmt::format("<g class=\"{}\">\n{}{}\n</g>\n", series_class(series), line, shape);
}

/// The names in rows; nothing for a single series without a name.
Drawing legend(const Chart& chart) {
  if (chart.series.empty() || (chart.series.size() == 1 && chart.series.front().name.empty())) return {};
  Drawing names;
  double x = 0;
  double y = kRow / 2;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string name = shortened(chart.series[i].name, kChartWidth - kSwatch);
    const double needed = kSwatch + text_width(name);
    if (x > 0 && x + needed > kChartWidth) {
      x = 0;
      y += kRow;
    }
    names.content += swatch(chart, i, x, y) + text_at(x + kSwatch, y + kTextDrop, "", name);
    x += needed + kBetween;
  }
  names.height = y + kRow / 2 + 8;
  return names;
}

/// Both ends finite, `low` below `high`.
struct Range {
  double low = 0;
  double high = 1;
};

/// Returns whether an axis can show `value`: finite, above 0 on a logarithmic one, and safe to compute with.
bool can_show(double value, bool is_logarithmic) {
  // Differences and quotients of values within these bounds are finite.
  constexpr double kLargest = 1e100;
  constexpr double kSmallest = 1e-100;
  if (!std::isfinite(value) || std::abs(value) > kLargest) return false;
  return !is_logarithmic || value >= kSmallest;
}

constexpr double kRoom = 0.04;  // Of the span, at each end.

Range padded_linear(Range range) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  double room = (range.high - range.low) * kRoom;
  if (range.high - range.low <= 1e-9 * size || size == 0) room = size == 0 ? 1 : size * 0.1;
  return {range.low >= 0 ? std::max(0.0, range.low - room) : range.low - room,
          range.high <= 0 && range.low < 0 ? std::min(0.0, range.high + room) : range.high + room};
}

/// Spans all `values` that the axis can show with some room, which never crosses 0. Never empty.
Range compute_range(std::vector<double> values, bool is_logarithmic) {
  std::erase_if(values, [&](double value) { return !can_show(value, is_logarithmic); });
  if (values.empty()) return is_logarithmic ? Range{0.5, 2} : Range{0, 1};
  const auto [low, high] = std::ranges::minmax(values);
  if (!is_logarithmic) return padded_linear({low, high});
  const double ratio = std::log(high / low);
  const double factor = ratio < 1e-9 ? 2 : std::exp(ratio * kRoom);
  return {low / factor, high * factor};
}

/// The powers of `base` inside the range, as few as `most` asks.
std::vector<double> powers(Range range, int most, double base) {
  const double step_of_base = std::log(base);
  const auto first = static_cast<int>(std::ceil(std::log(range.low) / step_of_base - 1e-9));
  const auto last = static_cast<int>(std::floor(std::log(range.high) / step_of_base + 1e-9));
  const int step = std::max(1, (last - first) / std::max(1, most) + 1);
  // Multiples of the step, so that 1 is among them.
  const int start = static_cast<int>(std::ceil(static_cast<double>(first) / step)) * step;
  std::vector<double> ticks;
  for (int power = start; power <= last; power += step) ticks.push_back(std::pow(base, power));
  return ticks;
}

std::vector<double> decades_with(const std::vector<double>& factors, Range range) {
  std::vector<double> ticks;
  const auto first = static_cast<int>(std::floor(std::log10(range.low)));
  const auto last = static_cast<int>(std::floor(std::log10(range.high)));
  for (int power = first; power <= last; ++power) {
    for (const double factor : factors) {
      const double tick = factor * std::pow(10.0, power);
      if (tick >= range.low && tick <= range.high) ticks.push_back(tick);
    }
  }
  return ticks;
}

bool takes_prefix(const std::string& unit) {
  constexpr std::array kUnits = {"s", "J", "W", "B", "B/s", "Hz", "FLOP", "FLOP/s"};
  return std::ranges::find(kUnits, unit) != kUnits.end();
}

/// "20 ms", "1.5×", "50 %": with `unit` where that takes a prefix or belongs to the number; else the number.
std::string tick_label(double value, const std::string& unit) {
  constexpr std::array kPrefixes = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P"};
  constexpr int kNoPrefix = 4;
  const bool has_unit = takes_prefix(unit);
  const double size = std::abs(value);
  int place = kNoPrefix;
  // Where prefixes are used up, powers of ten are clearer. Thousands are shown in full without a unit, since
  // sizes are powers of two.
  if (size >= (has_unit ? 1e-13 : 1e5) && size <= 1e18 && unit != "x" && unit != "%") {
    // A tick of 1000 may be a bit less by rounding.
    const auto thousands = static_cast<int>(std::floor(std::log10(size) / 3 + 1e-9));
    place = std::clamp(thousands + kNoPrefix, 0, unit == "s" ? kNoPrefix : 9);
  }
  // Digits enough to tell neighbours apart, few enough to hide rounding.
  const std::string number = fmt::format("{:.10g}", value / std::pow(1000.0, place - kNoPrefix));
  if (unit == "x") return number + "×";
  const std::string prefix = kPrefixes.at(static_cast<std::size_t>(place));
  return has_unit || unit == "%" ? number + " " + prefix + unit : number + prefix;
}

constexpr double kBetweenLabels = 8;

bool is_power_of_two(double value) {
  int exponent = 0;
  return value > 0 && std::frexp(value, &exponent) == 0.5;
}

std::vector<double> linear_ticks(Range range, int most) {
  const double rough = (range.high - range.low) / std::max(2, most);
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * decade >= rough * (1 - 1e-9)) step = factor * decade;
  }
  std::vector<double> ticks;
  const double last = std::floor(range.high / step + 1e-9);
  for (double i = std::ceil(range.low / step - 1e-9); i <= last; ++i) ticks.push_back(i == 0 ? 0 : i * step);
  return ticks;
}

/// Returns about `most` round values inside the range, ascending. A logarithmic axis has powers of ten, with
/// 2 and 5 if there is room, or of two if all `values` are such. Empty if the axis can show no value.
std::vector<double> axis_ticks(const Axis& axis, const std::vector<double>& values, Range range, int most) {
  const auto is_shown = [&](double value) { return can_show(value, axis.is_logarithmic); };
  if (std::ranges::none_of(values, is_shown)) return {};
  if (!axis.is_logarithmic) return linear_ticks(range, most);
  std::vector<double> ticks;
  if (std::ranges::all_of(values, is_power_of_two)) ticks = powers(range, most, 2);
  if (ticks.size() >= 2) return ticks;
  for (const auto& factors : {std::vector<double>{1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}}) {
    if (range.high / range.low > 1e3) break;
    ticks = decades_with(factors, range);
    if (ticks.size() >= 3 && ticks.size() <= static_cast<std::size_t>(std::max(3, most))) return ticks;
  }
  ticks = powers(range, most, 10);
  return ticks.size() >= 2 ? ticks : linear_ticks(range, most);
}

/// Whether the point has an interval that the axis of its y can show.
bool has_interval(const Point& point, const Axis& axis) {
  return point.low && point.high && can_show(*point.low, axis.is_logarithmic) &&
         can_show(*point.high, axis.is_logarithmic);
}

/// Series, place and value with interval, four digits each.
std::string tooltip(const Chart& chart, const Series& series, const Point& point) {
  const auto with_unit = [](double value, const std::string& unit) {
    return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
  };
  const auto& names = chart.x.categories;
  const std::string place = names.empty() ? with_unit(point.x, chart.x.unit)
                            : point.x >= 0 && point.x < static_cast<double>(names.size())
                                ? names[static_cast<std::size_t>(point.x)]
                                : "";
  std::string text = fmt::format("{}, {}{}{}: {}", series.name, point.name, point.name.empty() ? "" : ", ",
                                 place, with_unit(point.y, chart.y.unit));
  if (has_interval(point, chart.y)) text += fmt::format(" ({:.4g} to {:.4g})", *point.low, *point.high);
  return "<title>" + escaped(text) + "</title>";
}

/// All y of the chart: points, intervals and baseline. Some may be what no axis can show.
std::vector<double> y_values(const Chart& chart) {
  std::vector<double> values;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      values.push_back(point.y);
      if (point.low && point.high) values.insert(values.end(), {*point.low, *point.high});
    }
  }
  if (chart.baseline) values.push_back(*chart.baseline);
  return values;
}

/// What the axis shows, with its unit in brackets where the ticks do not have it.
std::string axis_title(const Axis& axis) {
  const bool is_on_ticks = takes_prefix(axis.unit) || axis.unit == "x" || axis.unit == "%";
  return axis.unit.empty() || is_on_ticks ? axis.label : fmt::format("{} [{}]", axis.label, axis.unit);
}

/// An axis with its ticks, from pixel `from` to pixel `to`.
struct Scale {
  const Axis& axis;
  Range range{};
  std::vector<double> ticks{};
  double from = 0;
  double to = 0;

  /// Returns the pixel of a value; values outside the range are at the nearer end.
  double at(double value) const {
    const double inside = std::clamp(value, range.low, range.high);
    const double share = axis.is_logarithmic ? std::log(inside / range.low) / std::log(range.high / range.low)
                                             : (inside - range.low) / (range.high - range.low);
    return from + share * (to - from);
  }
};

/// Finishes a chart with the axis title below the ticks.
Drawing with_title_below(std::string svg, const Axis& axis, const Area& area) {
  const std::string title = shortened(axis_title(axis), kChartWidth);
  const double half = text_width(title) / 2;
  const double middle = std::clamp((area.left + area.right) / 2, half, std::max(half, kChartWidth - half));
  const double bottom = area.bottom + kTickRow + 12;
  svg += text_at(middle, bottom, "mid", title);
  return {std::move(svg), bottom + 8};
}

/// Labels in a row at `y`; those that would touch their neighbour are left out.
std::string tick_row(const Scale& scale, double y) {
  std::string svg;
  double end_of_last = 0;
  for (const double tick : scale.ticks) {
    const std::string label = tick_label(tick, scale.axis.unit);
    const double half = text_width(label) / 2;
    const double middle = std::clamp(scale.at(tick), half, kChartWidth - half);
    if (middle - half < end_of_last) continue;
    svg += text_at(middle, y, "mid dim", label);
    end_of_last = middle + half + kBetweenLabels;
  }
  return svg;
}

std::string axis_below(const Scale& scale, const Area& area) {
  std::string svg;
  for (const double tick : scale.ticks)
    svg += line_between(scale.at(tick), area.top, scale.at(tick), area.bottom, "grid");
  return svg + tick_row(scale, area.bottom + 17);
}

std::string axis_left(const Scale& scale, const Area& area) {
  std::string svg;
  for (const double tick : scale.ticks) {
    const double y = scale.at(tick);
    svg += line_between(area.left, y, area.right, y, "grid");
    svg += text_at(area.left - 8, y + kTextDrop, "end dim", tick_label(tick, scale.axis.unit));
  }
  return svg;
}

constexpr double kMarkRow = 16;

/// The marks that the axis can show, from the right.
std::vector<Mark> shown_marks(const Chart& chart) {
  std::vector<Mark> marks = chart.marks;
  std::erase_if(marks, [&](const Mark& mark) { return !can_show(mark.x, chart.x.is_logarithmic); });
  std::ranges::stable_sort(marks, std::greater(), &Mark::x);
  return marks;
}

/// Draws lines with texts above the plot, each in a row of its own, to the right of its line where it fits.
std::string draw_marks(const std::vector<Mark>& marks, const Scale& scale, const Area& area) {
  constexpr double kFromLine = 4;
  std::string lines;
  std::string texts;
  double bottom = area.top - 8;
  for (const Mark& mark : marks) {
    const double x = scale.at(mark.x);
    const std::string text = shortened(mark.text, kChartWidth);
    const double last = std::max(0.0, kChartWidth - text_width(text));
    const double start = x + kFromLine <= last ? x + kFromLine : x - kFromLine - text_width(text);
    lines += line_between(x, bottom - 9, x, area.bottom, "mark");
    texts += text_at(std::clamp(start, 0.0, last), bottom, "over", text);
    bottom -= kMarkRow;
  }
  return lines + texts;
}

constexpr double kTitleRow = 20;
constexpr double kPlotHeight = 300;
constexpr std::size_t kMostMarkers = 40;  // More hide the line.

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

Scale x_scale(const Chart& chart, double left) {
  std::vector<double> values;
  for (const Series& series : chart.series) append(values, mapped(shown_points(chart, series), &Point::x));
  std::vector<double> all = values;
  append(all, mapped(chart.marks, &Mark::x));
  const Range range = compute_range(all, chart.x.is_logarithmic);
  return {chart.x, range, axis_ticks(chart.x, values, range, 11), left, kChartWidth - kRightRoom};
}

Scale y_scale(const Chart& chart) {
  std::vector<double> values = y_values(chart);
  Range range = compute_range(values, chart.y.is_logarithmic);
  // A time near 0 is judged by its distance from 0.
  if (!chart.y.is_logarithmic && range.low > 0 && range.low <= 0.6 * range.high) {
    values.push_back(0);
    range = compute_range(values, false);
  }
  return {chart.y, range, axis_ticks(chart.y, values, range, 6)};
}

std::string intervals(const Plot& plot, const std::vector<Point>& points) {
  std::string svg;
  for (const Point& point : points) {
    if (!has_interval(point, plot.chart.y)) continue;
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

std::string draw_series(const Plot& plot, const Area& area) {
  std::string svg;
  if (plot.chart.baseline && can_show(*plot.chart.baseline, plot.chart.y.is_logarithmic)) {
    const double y = plot.y.at(*plot.chart.baseline);
    svg += line_between(area.left, y, area.right, y, "baseline");
  }
  bool has_points = false;
  for (std::size_t i = 0; i < plot.chart.series.size(); ++i) {
    const std::vector<Point> points = shown_points(plot.chart, plot.chart.series[i]);
    has_points = has_points || !points.empty();
    svg += fmt::format("<g class=\"{}\">\n{}{}{}</g>\n", series_class(i), intervals(plot, points),
                       polyline(plot, i, points), markers(plot, i, points));
  }
  if (has_points) return svg;
  return svg + text_at((area.left + area.right) / 2, (area.top + area.bottom) / 2, "mid dim", "no values");
}

Drawing line_chart(const Chart& chart) {
  const Drawing names = legend(chart);
  const std::vector<Mark> marks = shown_marks(chart);
  const double mark_room = marks.empty() ? 0 : kMarkRow * static_cast<double>(marks.size()) + 4;
  const double top = names.height + kTitleRow + mark_room;
  Scale y = y_scale(chart);
  double widest = 0;
  for (const double tick : y.ticks) widest = std::max(widest, text_width(tick_label(tick, chart.y.unit)));
  const Area area{widest + 10, top, kChartWidth - kRightRoom, top + kPlotHeight};
  y.from = area.bottom;
  y.to = area.top;
  const Plot plot{chart, x_scale(chart, area.left), std::move(y)};
  std::string svg = names.content;
  svg += text_at(0, names.height + 10, "", shortened(axis_title(chart.y), kChartWidth));
  svg += axis_left(plot.y, area) + axis_below(plot.x, area);
  svg += line_between(area.left, area.bottom, area.right, area.bottom, "axis");
  svg += draw_marks(marks, plot.x, area) + draw_series(plot, area);
  return with_title_below(std::move(svg), chart.x, area);
}

// Horizontal bars: names of any length stay readable, and many categories make it higher.

constexpr double kBetweenGroups = 12;
constexpr double kLabelRow = 18;
constexpr double kTall = 500;           // From here on the ticks have labels above, too.
constexpr double kWidestLabels = 0.36;  // Of the whole; wider ones go above their bars.

struct Bars {
  const Chart& chart;
  double bar;               ///< Thickness of one.
  bool has_rows_of_labels;  ///< Above the bars of each category.
  Area area{};
  Scale scale{chart.y};
  double start = 0;  ///< Of bars, in pixels.

  /// From one category to the next.
  double step() const {
    const double bars = bar * static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
    return bars + kBetweenGroups + (has_rows_of_labels ? kLabelRow : 0);
  }
  double top_of_bars(std::size_t category) const {
    return area.top + kBetweenGroups / 2 + (has_rows_of_labels ? kLabelRow : 0) +
           step() * static_cast<double>(category);
  }
  bool has_place_for(const Point& point) const {
    return point.x >= 0 && point.x < static_cast<double>(chart.x.categories.size()) &&
           can_show(point.y, chart.y.is_logarithmic);
  }
};

std::string whisker(const Bars& bars, const Point& point, double middle) {
  if (!has_interval(point, bars.chart.y)) return "";
  const double half = std::min(3.0, bars.bar / 2 - 2);
  return fmt::format(
      "<path class=\"halo\" d=\"{0}\"/><path class=\"whisker ink\" d=\"{0}\"/>",
      fmt::format("M{0} {1}H{2}M{0} {3}v{4}M{2} {3}v{4}", px(bars.scale.at(*point.low)), px(middle),
                  px(bars.scale.at(*point.high)), px(middle - half), px(2 * half)));
}

std::string bar(const Bars& bars, std::size_t series, const Point& point) {
  const double end = bars.scale.at(point.y);
  const double top =
      bars.top_of_bars(static_cast<std::size_t>(point.x)) + bars.bar * static_cast<double>(series);
  return fmt::format("<g>{}<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"/>{}</g>\n",
                     tooltip(bars.chart, bars.chart.series[series], point), px(std::min(bars.start, end)),
                     px(top + 1), px(std::max(1.0, std::abs(end - bars.start))), px(bars.bar - 2),
                     bar_class(series), whisker(bars, point, top + bars.bar / 2));
}

std::string draw_bars(const Bars& bars) {
  std::string svg;
  for (std::size_t i = 0; i < bars.chart.series.size(); ++i) {
    svg += fmt::format("<g class=\"{}\">\n", series_class(i));
    for (const Point& point : bars.chart.series[i].points) {
      if (bars.has_place_for(point)) svg += bar(bars, i, point);
    }
    svg += "</g>\n";
  }
  const char* look = bars.chart.baseline ? "baseline" : "axis";
  return svg + line_between(bars.start, bars.area.top, bars.start, bars.area.bottom, look);
}

std::string labels(const Bars& bars) {
  std::string svg;
  const double room = bars.has_rows_of_labels ? kChartWidth : bars.area.left - 8;
  for (std::size_t i = 0; i < bars.chart.x.categories.size(); ++i) {
    const std::string name = shortened(bars.chart.x.categories[i], room);
    const double middle = bars.top_of_bars(i) + bars.bar * static_cast<double>(bars.chart.series.size()) / 2;
    svg += bars.has_rows_of_labels ? text_at(0, bars.top_of_bars(i) - 5, "over", name)
                                   : text_at(bars.area.left - 8, middle + kTextDrop, "end", name);
  }
  return svg;
}

Bars laid_out(const Chart& chart, double top) {
  double widest = 0;
  for (const std::string& name : chart.x.categories) widest = std::max(widest, text_width(name));
  const double bar = chart.series.size() <= 2 ? 14 : chart.series.size() <= 4 ? 11 : 8;
  Bars bars{chart, bar, widest > kWidestLabels * kChartWidth};
  const double left = bars.has_rows_of_labels ? 1 : widest + 10;
  const double height =
      bars.step() * static_cast<double>(std::max<std::size_t>(1, chart.x.categories.size()));
  const double start = top + (height > kTall ? kTickRow : 0);
  bars.area = {left, start, kChartWidth - kRightRoom, start + height};
  // Without a baseline, bars of a linear axis start at 0.
  std::vector<double> values = y_values(chart);
  if (!chart.baseline && !chart.y.is_logarithmic) values.push_back(0);
  Scale& scale = bars.scale;
  scale.range = compute_range(values, chart.y.is_logarithmic);
  scale.from = left;
  scale.to = bars.area.right;
  scale.ticks = axis_ticks(chart.y, y_values(chart), scale.range, static_cast<int>((scale.to - left) / 65));
  const bool has_baseline = chart.baseline && can_show(*chart.baseline, chart.y.is_logarithmic);
  bars.start = scale.at(has_baseline ? *chart.baseline : chart.y.is_logarithmic ? scale.range.low : 0);
  return bars;
}

Drawing bar_chart(const Chart& chart) {
  const Drawing names = legend(chart);
  const double title_row = chart.x.label.empty() ? 0 : kLabelRow;
  const Bars bars = laid_out(chart, names.height + title_row);
  const Area& area = bars.area;
  std::string svg = names.content;
  if (title_row > 0) svg += text_at(0, names.height + 10, "dim", shortened(chart.x.label, kChartWidth));
  svg += axis_below(bars.scale, area) + draw_bars(bars) + labels(bars);
  if (area.bottom - area.top > kTall) svg += tick_row(bars.scale, area.top - 7);
  return with_title_below(std::move(svg), chart.y, area);
}

std::string description(const Chart& chart) {
  constexpr std::array kKinds = {"Lines", "Bars", "Points"};
  std::string text = fmt::format("{}: {} by {}", kKinds.at(static_cast<std::size_t>(chart.kind)),
                                 chart.y.label, chart.x.label);
  if (!chart.series.empty()) text += "; " + join(names_in(chart.series));
  for (const Mark& mark : chart.marks) text += "; " + mark.text;
  return text + ".";
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

double text_width(std::string_view text) {
  double width = 0;
  while (!text.empty()) {
    const auto [code, length] = first_character(text);
    width += character_width(code) * kFontSize;
    text.remove_prefix(length);
  }
  return width;
}

std::string shortened(std::string_view text, double width) {
  if (text_width(text) <= width) return std::string(text);
  double used = kFontSize;  // Of the ellipsis.
  std::size_t end = 0;
  while (end < text.size()) {
    const auto [code, length] = first_character(text.substr(end));
    used += character_width(code) * kFontSize;
    if (used > width) break;
    end += length;
  }
  return std::string(text.substr(0, end)) + "…";
}

Drawing draw_chart(const Chart& chart, const std::string& id, const std::string& attributes) {
  Drawing drawing = chart.kind == ChartKind::kBars ? bar_chart(chart) : line_chart(chart);
  drawing.content = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" aria-labelledby=\"{2}-title {2}-desc\"{3}>\n"
      "<title id=\"{2}-title\">{4}</title>\n<desc id=\"{2}-desc\">{5}</desc>\n{6}</svg>\n",
      px(kChartWidth), px(drawing.height), id, attributes, escaped(chart.title), escaped(description(chart)),
      drawing.content);
  return drawing;
}

}  // namespace gpubench
