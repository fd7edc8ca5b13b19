#include "formats/chart/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "formats/parts/page_text.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

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

std::string swatch(const Chart& chart, std::size_t series, const std::string& id, double x, double y) {
  const std::string line =
      chart.kind == ChartKind::kLines ? line_between(x, y, x + 24, y, dash_class(series)) : "";
  const std::string shape = chart.kind == ChartKind::kBars
                                ? fmt::format("<rect x=\"{}\" y=\"{}\" width=\"22\" height=\"11\" {}/>",
                                              px(x), px(y - 5.5), bar_fill(series, id))
                                : marker(series, x + 12, y);
  return fmt::format("<g class=\"{}\">\n{}{}\n</g>\n", series_class(series), line, shape);
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

std::string line_between(double x1, double y1, double x2, double y2, std::string_view classes) {
  return fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", px(x1), px(y1), px(x2),
                     px(y2), classes);
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

std::string series_class(std::size_t series) { return fmt::format("series-{}", series % kColours); }

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

namespace {

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

}  // namespace

bool can_show(double value, bool is_logarithmic) {
  if (!std::isfinite(value) || std::abs(value) > kLargest) return false;
  return !is_logarithmic || value >= kSmallest;
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

bool has_interval(const Point& point, const Axis& axis) {
  return point.low && point.high && can_show(*point.low, axis.is_logarithmic) &&
         can_show(*point.high, axis.is_logarithmic);
}

std::string tooltip(const Chart& chart, const Series& series, const Point& point) {
  const std::string name = point.name.empty() ? "" : point.name + ", ";
  std::string text = fmt::format("{}, {}{}: {}", series.name, name, format_place(chart, point.x),
                                 with_unit(point.y, chart.y.unit));
  if (has_interval(point, chart.y)) text += fmt::format(" ({:.4g} to {:.4g})", *point.low, *point.high);
  return "<title>" + escaped(text) + "</title>";
}

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

std::vector<double> axis_ticks(const Axis& axis, const std::vector<double>& values, Range range, int most) {
  const auto is_shown = [&](double value) { return can_show(value, axis.is_logarithmic); };
  if (std::ranges::none_of(values, is_shown)) return {};
  if (!axis.is_logarithmic) return linear_ticks(range, most);
  const bool is_binary = std::ranges::all_of(values, is_power_of_two);
  std::vector<double> ticks = is_binary ? powers(range, most, 2) : std::vector<double>();
  return ticks.size() >= 2 ? ticks : logarithmic_ticks(range, most);
}

std::string axis_title(const Axis& axis) {
  const bool is_on_ticks = takes_prefix(axis.unit) || axis.unit == "x" || axis.unit == "%";
  return axis.unit.empty() || is_on_ticks ? axis.label : fmt::format("{} [{}]", axis.label, axis.unit);
}

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

}  // namespace gpubench
