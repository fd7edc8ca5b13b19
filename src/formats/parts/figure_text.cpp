#include "formats/parts/figure_text.h"

#include <cmath>

#include <fmt/format.h>

#include "formats/parts/plain_text.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

bool is_even(const Point& point, double halfwidth) {
  return point.y != 0 && std::abs((*point.high + *point.low) / 2 - point.y) <= halfwidth / 4;
}

}  // namespace

std::string figure_with_unit(double figure, const std::string& unit) {
  return unit.empty() ? figure_text(figure) : figure_text(figure) + " " + plain_text(unit);
}

std::string point_text(const Point& point, const std::string& unit) {
  const std::string text = figure_with_unit(point.y, unit);
  if (!point.low || !point.high) return text;
  const double halfwidth = (*point.high - *point.low) / 2;
  if (is_even(point, halfwidth))
    return fmt::format("{} ± {}", text, percent_text(halfwidth / std::abs(point.y)));
  return fmt::format("{} ({} to {})", text, figure_text(*point.low), figure_text(*point.high));
}

std::string axis_text(const Axis& axis) {
  const std::string label = plain_text(axis.label);
  if (axis.unit.empty()) return label;
  return fmt::format("{}{}[{}]", label, label.empty() ? "" : " ", plain_text(axis.unit));
}

}  // namespace gpubench
