#include "formats/chart/chart_axes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gpubench {
namespace {

constexpr double kTextDrop = kFontSize * 0.35;  // From the middle of a line of text to its baseline.
constexpr double kBetweenLabels = 8;

bool is_power_of_two(double value) {
  int exponent = 0;
  return value > 0 && std::frexp(value, &exponent) == 0.5;
}

}  // namespace

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
  if (std::none_of(values.begin(), values.end(), is_shown)) return {};
  if (!axis.is_logarithmic) return linear_ticks(range, most);
  const bool is_binary = std::all_of(values.begin(), values.end(), is_power_of_two);
  return is_binary ? binary_ticks(range, most) : logarithmic_ticks(range, most);
}

std::string axis_title(const Axis& axis) {
  if (axis.unit.empty() || is_unit_on_ticks(axis.unit)) return axis.label;
  return fmt::format("{} [{}]", axis.label, axis.unit);
}

std::string title_below(const Axis& axis, const Area& area, double y, double width) {
  const std::string title = shortened(axis_title(axis), width);
  const double half = text_width(title) / 2;
  const double middle = (area.left + area.right) / 2;
  return text_at(std::clamp(middle, half, std::max(half, width - half)), y, "mid", title);
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
