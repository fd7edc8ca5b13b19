#include "formats/chart/chart_scale.h"

#include <algorithm>
#include <cmath>

namespace gpubench {
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

}  // namespace

bool can_show(double value, bool is_logarithmic) {
  if (!std::isfinite(value) || std::abs(value) > kLargest) return false;
  return !is_logarithmic || value >= kSmallest;
}

Range range_of(const std::vector<double>& values, bool is_logarithmic) {
  std::vector<double> shown;
  for (const double value : values) {
    if (can_show(value, is_logarithmic)) shown.push_back(value);
  }
  if (shown.empty()) return is_logarithmic ? Range{0.5, 2} : Range{0, 1};
  const auto [low, high] = std::minmax_element(shown.begin(), shown.end());
  return is_logarithmic ? padded_logarithmic({*low, *high}) : padded_linear({*low, *high});
}

Scale::Scale(Range range, bool is_logarithmic, double from, double to)
    : range_(range), is_logarithmic_(is_logarithmic), from_(from), to_(to) {}

double Scale::at(double value) const {
  const double inside = std::clamp(value, range_.low, range_.high);
  const double share = is_logarithmic_ ? std::log(inside / range_.low) / std::log(range_.high / range_.low)
                                       : (inside - range_.low) / (range_.high - range_.low);
  return from_ + share * (to_ - from_);
}

std::vector<double> linear_ticks(Range range, int most) {
  const double step = round_step((range.high - range.low) / std::max(2, most));
  std::vector<double> ticks;
  const double last = std::floor(range.high / step + 1e-9);
  for (double i = std::ceil(range.low / step - 1e-9); i <= last; ++i) ticks.push_back(i == 0 ? 0 : i * step);
  return ticks;
}

std::vector<double> logarithmic_ticks(Range range, int most) {
  const auto fits = [&](const std::vector<double>& ticks) {
    return ticks.size() >= 3 && ticks.size() <= static_cast<std::size_t>(std::max(3, most));
  };
  for (const auto& factors : {std::vector<double>{1, 2, 3, 5, 7}, {1, 2, 5}, {1, 3}}) {
    if (range.high / range.low > 1e3) break;
    std::vector<double> ticks = decades_with(factors, range);
    if (fits(ticks)) return ticks;
  }
  std::vector<double> ticks = powers(range, most, 10);
  return ticks.size() >= 2 ? ticks : linear_ticks(range, most);
}

std::vector<double> binary_ticks(Range range, int most) {
  std::vector<double> ticks = powers(range, most, 2);
  return ticks.size() >= 2 ? ticks : logarithmic_ticks(range, most);
}

}  // namespace gpubench
