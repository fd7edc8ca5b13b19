#include "formats/parts/strip.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "formats/parts/figure_text.h"
#include "formats/parts/plain_text.h"

namespace gpubench {
namespace {

constexpr std::size_t kLabelWidth = 44;

/// What a label of that width and three figures leave of a line of 100 characters.
constexpr std::size_t kStripWidth = 26;

bool is_lower(const Point& a, const Point& b) { return a.y < b.y; }

std::string column_text(double part) {
  static const std::array<const char*, 9> kEighths{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (!std::isfinite(part)) return " ";
  return kEighths[static_cast<std::size_t>(std::clamp(std::lround(8 * part), 1L, 8L))];
}

std::string strip_text(const std::vector<Point>& points, double highest) {
  std::string strip;
  for (const Point& point : thinned(points, kStripWidth)) strip += column_text(point.y / highest);
  return strip;
}

std::string row_text(const Series& series, std::size_t label_width, const std::string& unit) {
  const std::string label = clipped(series.name, kLabelWidth);
  const std::string padding(label_width - width_of(label), ' ');
  if (series.points.empty()) return fmt::format("  {}{}  -", label, padding);
  const auto [least, most] = std::minmax_element(series.points.begin(), series.points.end(), is_lower);
  return fmt::format("  {}{}  {}  {} to {}, last {}", label, padding, strip_text(series.points, most->y),
                     figure_text(least->y), figure_text(most->y),
                     figure_with_unit(series.points.back().y, unit));
}

}  // namespace

std::vector<Point> thinned(const std::vector<Point>& points, std::size_t most) {
  if (points.size() <= most) return points;
  std::vector<Point> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(points[i * (points.size() - 1) / (most - 1)]);
  return chosen;
}

std::vector<std::string> strips_text(const Chart& chart) {
  std::size_t label_width = 0;
  for (const Series& series : chart.series)
    label_width = std::max(label_width, width_of(clipped(series.name, kLabelWidth)));
  std::vector<std::string> lines{
      fmt::format("{} by {}; each row from 0 to its highest", axis_text(chart.y), axis_text(chart.x))};
  for (const Series& series : chart.series) lines.push_back(row_text(series, label_width, chart.y.unit));
  return lines;
}

}  // namespace gpubench
