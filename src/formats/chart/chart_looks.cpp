#include "formats/chart/chart_looks.h"

#include <cmath>

#include <fmt/format.h>

#include "formats/chart/chart_ink.h"
#include "formats/chart/chart_scale.h"
#include "formats/parts/markup.h"

namespace gpubench {
namespace {

// Solid, pale and hatched, so that neighbours differ without colour too.
constexpr std::size_t kFills = 3;
constexpr std::size_t kHatched = 2;
constexpr std::size_t kDashes = 4;

std::string with_unit(double value, const std::string& unit) {
  const std::string number = fmt::format("{:.4g}", value);
  return unit.empty() ? number : number + " " + unit;
}

std::string place_of(const Chart& chart, double x) {
  const auto& names = chart.x.categories;
  if (names.empty()) return with_unit(x, chart.x.unit);
  const bool has_name = x >= 0 && x < static_cast<double>(names.size());
  return has_name ? names[static_cast<std::size_t>(x)] : "";
}

}  // namespace

bool has_interval(const Point& point, const Axis& axis) {
  return point.low && point.high && can_show(*point.low, axis.is_logarithmic) &&
         can_show(*point.high, axis.is_logarithmic);
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

std::string tooltip(const Chart& chart, const Series& series, const Point& point) {
  const std::string name = point.name.empty() ? "" : point.name + ", ";
  std::string text = fmt::format("{}, {}{}: {}", series.name, name, place_of(chart, point.x),
                                 with_unit(point.y, chart.y.unit));
  if (has_interval(point, chart.y)) {
    text += fmt::format(" ({:.4g} to {:.4g})", *point.low, *point.high);
  }
  return "<title>" + escaped(text) + "</title>";
}

}  // namespace gpubench
