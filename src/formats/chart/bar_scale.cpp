#include "formats/chart/bar_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace gpubench {
namespace {

std::string repeated(const std::string& text, long count) {
  std::string all;
  for (long i = 0; i < count; ++i) all += text;
  return all;
}

/// A bar to the right, in eighths of a character; at least one of them, so that nothing looks like nothing.
std::string right_bar(double characters) {
  static const std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const long eighths = characters == 0 ? 0 : std::max(1L, std::lround(8 * characters));
  return repeated("█", eighths / 8) + kEighths[static_cast<std::size_t>(eighths % 8)];
}

}  // namespace

BarScale::BarScale(const Chart& chart, std::size_t width) : is_logarithmic_(chart.y.is_logarithmic) {
  std::vector<double> positions;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) positions.push_back(position(point.y));
  }
  std::erase_if(positions, [](double value) { return !std::isfinite(value); });
  if (positions.empty()) return;
  const auto [least, most] = std::minmax_element(positions.begin(), positions.end());
  origin_ = is_logarithmic_ ? std::ceil(*least) - 1 : 0;
  if (chart.baseline && std::isfinite(position(*chart.baseline))) origin_ = position(*chart.baseline);
  const double low = std::min(origin_, *least);
  const double extent = std::max(origin_, *most) - low;
  is_two_sided_ = chart.baseline.has_value() || low < origin_;
  if (extent <= 0) return;
  characters_per_unit_ = static_cast<double>(width) / extent;
  left_width_ = static_cast<std::size_t>(std::ceil((origin_ - low) * characters_per_unit_));
}

double BarScale::origin() const { return is_logarithmic_ ? std::pow(10.0, origin_) : origin_; }

double BarScale::position(double value) const { return is_logarithmic_ ? std::log10(value) : value; }

std::string BarScale::left_bar(double characters) const {
  const long halves = characters == 0 ? 0 : std::max(1L, std::lround(2 * characters));
  const auto filled = static_cast<std::size_t>((halves + 1) / 2);
  const std::size_t empty = left_width_ > filled ? left_width_ - filled : 0;
  return std::string(empty, ' ') + (halves % 2 == 1 ? "▐" : "") + repeated("█", halves / 2);
}

std::string BarScale::bar(double value) const {
  const double characters = (position(value) - origin_) * characters_per_unit_;
  if (!std::isfinite(characters)) return {};
  if (!is_two_sided_) return right_bar(characters);
  return left_bar(std::max(0.0, -characters)) + "│" + right_bar(std::max(0.0, characters));
}

}  // namespace gpubench
