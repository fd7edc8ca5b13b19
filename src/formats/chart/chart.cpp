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

constexpr std::size_t kColours = 8;

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

// Solid, pale and hatched, so that neighbours differ without colour too.
constexpr std::size_t kFills = 3;
constexpr std::size_t kHatched = 2;
constexpr std::size_t kDashes = 4;

constexpr double kRow = 20;
constexpr double kSwatch = 30;
constexpr double kBetween = 18;

std::string line_between(double x1, double y1, double x2, double y2, std::string_view classes) {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", px(x1), px(y1), px(x2),
                     px(y2), classes);
}

/// Name of the colour of a series, which repeats after eight.
std::string series_class(std::size_t series) { return fmt::format("series-{}", series % kColours); }

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

/// Attributes of a bar's filling, and the hatching that some of them refer to by an id that starts with `id`.
std::string bar_fill(std::size_t series, const std::string& id) {
  if (series % kFills == kHatched) return fmt::format("class=\"bar\" fill=\"url(#{}-hatch-{})\"", id, series);
  return series % kFills == 0 ? "class=\"bar solid\"" : "class=\"bar pale\"";
}

std::string bar_hatching(const Chart& chart, const std::string& id) {
  std::string patterns;
  for (std::size_t i = kHatched; i < chart.series.size(); i += kFills) {
    patterns += fmt::format(
        "<pattern id=\"{}-hatch-{}\" class=\"{}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><line x1=\"1\" y1=\"0\" x2=\"1\" y2=\"5\" "
        "class=\"hatch\"/></pattern>\n",
        id, i, series_class(i));
  }
  return patterns.empty() ? "" : "<defs>\n" + patterns + "</defs>\n";
}

std::string dash_class(std::size_t series) { return fmt::format("line dash-{}", series % kDashes); }

std::string swatch(const Chart& chart, std::size_t series, const std::string& id, double x, double y) {
  const std::string line =
      chart.kind == ChartKind::kLines ? line_between(x, y, x + 24, y, dash_class(series)) : "";
  const std::string shape = chart.kind == ChartKind::kBars
                                ? fmt::format("<rect x=\"{}\" y=\"{}\" width=\"22\" height=\"11\" {}/>",
                                              px(x), px(y - 5.5), bar_fill(series, id))
                                : marker(series, x + 12, y);
  return fmt::format("<g class=\"{}\">\n{}{}\n</g>\n", series_class(series), line, shape);
}

/// The names in rows as wide as `width` allows; nothing for a single series without a name.
Drawing legend(const Chart& chart, const std::string& id, double width) {
  if (chart.series.empty() || (chart.series.size() == 1 && chart.series.front().name.empty())) return {};
  Drawing names;
  double x = 0;
  double y = kRow / 2;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string name = shortened(chart.series[i].name, width - kSwatch);
    const double needed = kSwatch + text_width(name);
    if (x > 0 && x + needed > width) {
      x = 0;
      y += kRow;
    }
    names.content += swatch(chart, i, id, x, y) + text_at(x + kSwatch, y + kFontSize * 0.35, "", name);
    x += needed + kBetween;
  }
  names.height = y + kRow / 2 + 8;
  return names;
}

constexpr double kRoom = 0.04;  // Of the span, at each end.
// Differences and quotients of values within these bounds are finite.
constexpr double kLargest = 1e100;
constexpr double kSmallest = 1e-100;

Range padded_linear(Range range) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  double room = (range.high - range.low) * kRoom;
  if (range.high - range.low <= 1e-9 * size || size == 0) room = size == 0 ? 1 : size * 0.1;
  return {range.low >= 0 ? std::max(0.0, range.low - room) : range.low - room,
          range.high <= 0 && range.low < 0 ? std::min(0.0, range.high + room) : range.high + room};
}

Range padded_logarithmic(Range range) {
  const double ratio = std::log(range.high / range.low);
  const double factor = ratio < 1e-9 ? 2 : std::exp(ratio * kRoom);
  return {range.low / factor, range.high * factor};
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

double round_step(double rough) {
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * decade >= rough * (1 - 1e-9)) return factor * decade;
  }
  return 10 * decade;
}

constexpr std::array kPrefixes = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P"};
// Beyond these the prefixes are used up, and powers of ten are clearer.
constexpr double kSmallestPrefixed = 1e-13;
constexpr double kLargestPrefixed = 1e18;
constexpr int kNoPrefix = 4;
constexpr int kLastPrefix = static_cast<int>(kPrefixes.size()) - 1;

bool takes_prefix(const std::string& unit) {
  constexpr std::array kUnits = {"s", "J", "W", "B", "B/s", "Hz", "FLOP", "FLOP/s"};
  return std::ranges::find(kUnits, unit) != kUnits.end();
}

/// The number that is left, and its prefix.
std::pair<double, const char*> prefixed(double value, int lowest, int highest) {
  const double size = std::abs(value);
  if (size < kSmallestPrefixed || size > kLargestPrefixed) return {value, ""};
  // A tick of 1000 may be a bit less by rounding.
  const auto thousands = static_cast<int>(std::floor(std::log10(size) / 3 + 1e-9));
  const int place = std::clamp(thousands + kNoPrefix, lowest, highest);
  return {value / std::pow(1000.0, place - kNoPrefix), kPrefixes.at(static_cast<std::size_t>(place))};
}

// Digits enough to tell neighbours apart, few enough to hide rounding.
std::string digits(double value) { return fmt::format("{:.10g}", value); }

constexpr double kTextDrop = kFontSize * 0.35;  // From the middle of a line of text to its baseline.
constexpr double kBetweenLabels = 8;

bool is_power_of_two(double value) {
  int exponent = 0;
  return value > 0 && std::frexp(value, &exponent) == 0.5;
}

std::string with_unit(double value, const std::string& unit) {
  const std::string number = fmt::format("{:.4g}", value);
  return unit.empty() ? number : number + " " + unit;
}

std::string format_place(const Chart& chart, double x) {
  const auto& names = chart.x.categories;
  if (names.empty()) return with_unit(x, chart.x.unit);
  const bool has_name = x >= 0 && x < static_cast<double>(names.size());
  return has_name ? names[static_cast<std::size_t>(x)] : "";
}

std::vector<double> linear_ticks(Range range, int most) {
  const double step = round_step((range.high - range.low) / std::max(2, most));
  std::vector<double> ticks;
  const double last = std::floor(range.high / step + 1e-9);
  for (double i = std::ceil(range.low / step - 1e-9); i <= last; ++i) ticks.push_back(i == 0 ? 0 : i * step);
  return ticks;
}

std::vector<double> logarithmic_ticks(Range range, int most) {
  for (const auto& factors : {std::vector<double>{1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}}) {
    if (range.high / range.low > 1e3) break;
    std::vector<double> ticks = decades_with(factors, range);
    if (ticks.size() >= 3 && ticks.size() <= static_cast<std::size_t>(std::max(3, most))) return ticks;
  }
  std::vector<double> ticks = powers(range, most, 10);
  return ticks.size() >= 2 ? ticks : linear_ticks(range, most);
}

/// Returns whether an axis can show `value`: finite, above 0 on a logarithmic one, and safe to compute with.
bool can_show(double value, bool is_logarithmic) {
  if (!std::isfinite(value) || std::abs(value) > kLargest) return false;
  return !is_logarithmic || value >= kSmallest;
}

/// Whether the point has an interval that the axis of its y can show.
bool has_interval(const Point& point, const Axis& axis) {
  return point.low && point.high && can_show(*point.low, axis.is_logarithmic) &&
         can_show(*point.high, axis.is_logarithmic);
}

/// What someone reads who points at it: series, place and value with interval, four digits each.
std::string tooltip(const Chart& chart, const Series& series, const Point& point) {
  const std::string name = point.name.empty() ? "" : point.name + ", ";
  std::string text = fmt::format("{}, {}{}: {}", series.name, name, format_place(chart, point.x),
                                 with_unit(point.y, chart.y.unit));
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

/// Finishes a chart with the axis title below the ticks, below the middle of `area`, or of all if long.
Drawing with_title_below(std::string svg, const Axis& axis, const Area& area, double width) {
  const std::string title = shortened(axis_title(axis), width);
  const double half = text_width(title) / 2;
  const double middle = (area.left + area.right) / 2;
  const double bottom = area.bottom + kTickRow + 12;
  svg += text_at(std::clamp(middle, half, std::max(half, width - half)), bottom, "mid", title);
  return {std::move(svg), bottom + 8};
}

double widest_label(const std::vector<double>& ticks, const std::string& unit) {
  double widest = 0;
  for (const double tick : ticks) widest = std::max(widest, text_width(tick_label(tick, unit)));
  return widest;
}

/// Labels in a row at `y`; those that would touch their neighbour are left out.
std::string tick_row(const std::vector<double>& ticks, const Scale& scale, const std::string& unit, double y,
                     double width) {
  std::string svg;
  double end_of_last = -kBetweenLabels;
  for (const double tick : ticks) {
    const std::string label = tick_label(tick, unit);
    const double half = text_width(label) / 2;
    const double middle = std::clamp(scale.at(tick), half, std::max(half, width - half));
    if (middle - half < end_of_last + kBetweenLabels) continue;
    svg += text_at(middle, y, "mid dim", label);
    end_of_last = middle + half;
  }
  return svg;
}

std::string axis_below(const std::vector<double>& ticks, const Scale& scale, const std::string& unit,
                       const Area& area, double width) {
  std::string svg;
  for (const double tick : ticks)
    svg += line_between(scale.at(tick), area.top, scale.at(tick), area.bottom, "grid");
  return svg + tick_row(ticks, scale, unit, area.bottom + 17, width);
}

std::string axis_left(const std::vector<double>& ticks, const Scale& scale, const std::string& unit,
                      const Area& area) {
  std::string svg;
  for (const double tick : ticks) {
    const double y = scale.at(tick);
    svg += line_between(area.left, y, area.right, y, "grid");
    svg += text_at(area.left - 8, y + kTextDrop, "end dim", tick_label(tick, unit));
  }
  return svg;
}

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

/// Places texts from the right in the lowest row where they touch none, so that no line crosses them.
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

std::string draw_series(const Plot& plot, const Area& area) {
  std::string svg;
  if (plot.chart.baseline && can_show(*plot.chart.baseline, plot.chart.y.is_logarithmic)) {
    const double y = plot.y.at(*plot.chart.baseline);
    svg += line_between(area.left, y, area.right, y, "baseline");
  }
  for (std::size_t i = 0; i < plot.chart.series.size(); ++i) {
    const std::vector<Point> points = shown_points(plot.chart, plot.chart.series[i]);
    svg += fmt::format("<g class=\"{}\">\n{}{}{}</g>\n", series_class(i), intervals(plot, points),
                       polyline(plot, i, points), markers(plot, i, points));
  }
  if (!x_values(plot.chart).empty()) return svg;
  return svg + text_at((area.left + area.right) / 2, (area.top + area.bottom) / 2, "mid dim", "no values");
}

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

// Horizontal bars: names of any length stay readable, and many categories make it higher.

constexpr double kBetweenGroups = 12;
constexpr double kLabelRow = 18;
constexpr double kTall = 500;           // From here on the ticks have labels above, too.
constexpr double kWidestLabels = 0.36;  // Of the whole; wider ones go above their bars.

double thickness(std::size_t series) {
  if (series <= 2) return 14;
  return series <= 4 ? 11 : 8;
}

struct Bars {
  const Chart& chart;
  std::string id;
  double width;
  double bar;  ///< Thickness of one.
  bool has_rows_of_labels;
  Area area{};
  Scale scale{};
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
  return fmt::format("<g>{}<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>{}</g>\n",
                     tooltip(bars.chart, bars.chart.series[series], point), px(std::min(bars.start, end)),
                     px(top + 1), px(std::max(1.0, std::abs(end - bars.start))), px(bars.bar - 2),
                     bar_fill(series, bars.id), whisker(bars, point, top + bars.bar / 2));
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
  const double room = bars.has_rows_of_labels ? bars.width : bars.area.left - 8;
  for (std::size_t i = 0; i < bars.chart.x.categories.size(); ++i) {
    const std::string name = shortened(bars.chart.x.categories[i], room);
    const double middle = bars.top_of_bars(i) + bars.bar * static_cast<double>(bars.chart.series.size()) / 2;
    svg += bars.has_rows_of_labels ? text_at(0, bars.top_of_bars(i) - 5, "over", name)
                                   : text_at(bars.area.left - 8, middle + kFontSize * 0.35, "end", name);
  }
  return svg;
}

Bars laid_out(const Chart& chart, const std::string& id, double width, double top) {
  double widest = 0;
  for (const std::string& name : chart.x.categories) widest = std::max(widest, text_width(name));
  Bars bars{chart, id, width, thickness(chart.series.size()), widest > kWidestLabels * width};
  const double left = bars.has_rows_of_labels ? 1 : widest + 10;
  const double height =
      bars.step() * static_cast<double>(std::max<std::size_t>(1, chart.x.categories.size()));
  const double start = top + (height > kTall ? kTickRow : 0);
  bars.area = {left, start, width - kRightRoom, start + height};
  // Without a baseline, bars of a linear axis start at 0.
  std::vector<double> values = y_values(chart);
  if (!chart.baseline && !chart.y.is_logarithmic) values.push_back(0);
  const Range range = compute_range(values, chart.y.is_logarithmic);
  bars.scale = {range, chart.y.is_logarithmic, left, bars.area.right};
  const bool has_baseline = chart.baseline && can_show(*chart.baseline, chart.y.is_logarithmic);
  bars.start = bars.scale.at(has_baseline ? *chart.baseline : chart.y.is_logarithmic ? range.low : 0);
  return bars;
}

Drawing bar_chart(const Chart& chart, const std::string& id, double width) {
  const Drawing names = legend(chart, id, width);
  const double title_row = chart.x.label.empty() ? 0 : kLabelRow;
  const Bars bars = laid_out(chart, id, width, names.height + title_row);
  const Area& area = bars.area;
  const int most = static_cast<int>((area.right - area.left) / 65);
  const std::vector<double> ticks = axis_ticks(chart.y, y_values(chart), bars.scale.range, most);

  std::string svg = bar_hatching(chart, id) + names.content;
  if (title_row > 0) svg += text_at(0, names.height + 10, "dim", shortened(chart.x.label, width));
  svg += axis_below(ticks, bars.scale, chart.y.unit, area, width) + draw_bars(bars) + labels(bars);
  if (area.bottom - area.top > kTall) svg += tick_row(ticks, bars.scale, chart.y.unit, area.top - 7, width);
  return with_title_below(std::move(svg), chart.y, area, width);
}

std::string description(const Chart& chart) {
  const char* kind = chart.kind == ChartKind::kBars    ? "Bars"
                     : chart.kind == ChartKind::kLines ? "Lines"
                                                       : "Points";
  std::string text = fmt::format("{}: {} by {}", kind, chart.y.label, chart.x.label);
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

Range compute_range(std::vector<double> values, bool is_logarithmic) {
  std::erase_if(values, [&](double value) { return !can_show(value, is_logarithmic); });
  if (values.empty()) return is_logarithmic ? Range{0.5, 2} : Range{0, 1};
  const auto [low, high] = std::ranges::minmax(values);
  return is_logarithmic ? padded_logarithmic({low, high}) : padded_linear({low, high});
}

double Scale::at(double value) const {
  const double inside = std::clamp(value, range.low, range.high);
  const double share = is_logarithmic ? std::log(inside / range.low) / std::log(range.high / range.low)
                                      : (inside - range.low) / (range.high - range.low);
  return from + share * (to - from);
}

std::string tick_label(double value, const std::string& unit) {
  if (takes_prefix(unit)) {
    const auto [number, prefix] = prefixed(value, 0, unit == "s" ? kNoPrefix : kLastPrefix);
    return fmt::format("{} {}{}", digits(number), prefix, unit);
  }
  if (unit == "x") return digits(value) + "×";
  if (unit == "%") return digits(value) + " %";
  // Thousands are shown in full, since sizes are powers of two.
  if (std::abs(value) < 1e5) return digits(value);
  const auto [number, prefix] = prefixed(value, kNoPrefix, kLastPrefix);
  return digits(number) + prefix;
}

std::vector<double> axis_ticks(const Axis& axis, const std::vector<double>& values, Range range, int most) {
  const auto is_shown = [&](double value) { return can_show(value, axis.is_logarithmic); };
  if (std::ranges::none_of(values, is_shown)) return {};
  if (!axis.is_logarithmic) return linear_ticks(range, most);
  const bool is_binary = std::ranges::all_of(values, is_power_of_two);
  std::vector<double> ticks = is_binary ? powers(range, most, 2) : std::vector<double>();
  return ticks.size() >= 2 ? ticks : logarithmic_ticks(range, most);
}

Drawing draw_chart(const Chart& chart, const std::string& id, double width, const std::string& attributes) {
  Drawing drawing =
      chart.kind == ChartKind::kBars ? bar_chart(chart, id, width) : line_chart(chart, id, width);
  drawing.content = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" aria-labelledby=\"{2}-title {2}-desc\"{3}>\n"
      "<title id=\"{2}-title\">{4}</title>\n<desc id=\"{2}-desc\">{5}</desc>\n{6}</svg>\n",
      px(width), px(drawing.height), id, attributes, escaped(chart.title), escaped(description(chart)),
      drawing.content);
  return drawing;
}

}  // namespace gpubench
