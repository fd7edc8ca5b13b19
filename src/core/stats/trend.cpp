#include "gpubench/core/stats/trend.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

constexpr double kCriticalScore = 1.959964;  // Two-sided, 5 %.
constexpr double kNegligibleChange = 0.01;   // From the first value to the last.
constexpr std::size_t kMost = 2000;          // For the slope, each is compared with each.

std::size_t stride_of(std::span<const double> values) {
  return std::max<std::size_t>(1, (values.size() + kMost - 1) / kMost);
}

/// At most kMost of the values, evenly spread.
std::vector<double> thinned(std::span<const double> values, std::size_t stride) {
  std::vector<double> some;
  for (std::size_t i = 0; i < values.size(); i += stride) some.push_back(values[i]);
  return some;
}

/// Later values above earlier ones, less those below. Sorts `values`: two sorted halves are counted, then
/// merged.
double rise_count(std::span<double> values) {
  if (values.size() < 2) return 0;
  const std::size_t half = values.size() / 2;
  const std::span<double> earlier = values.first(half);
  const std::span<double> later = values.subspan(half);
  double count = rise_count(earlier) + rise_count(later);
  std::size_t below = 0;
  std::size_t not_above = 0;
  for (const double value : later) {
    while (below < half && earlier[below] < value) ++below;
    while (not_above < half && earlier[not_above] <= value) ++not_above;
    count += static_cast<double>(below) - static_cast<double>(half - not_above);
  }
  std::inplace_merge(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
  return count;
}

/// n (n - 1) (2 n + 5) / 18, the variance of the rise count of n values in random order.
double variance_term(double count) { return count * (count - 1) * (2 * count + 5) / 18; }

double rise_variance(std::span<const double> values) {
  std::map<double, double> ties;
  for (const double value : values) ties[value] += 1;
  double variance = variance_term(static_cast<double>(values.size()));
  for (const auto& [value, count] : ties) variance -= variance_term(count);
  return variance;
}

bool has_significant_trend(std::span<const double> values) {
  if (values.size() < kLeastForTrend) return false;
  std::vector<double> sorted(values.begin(), values.end());
  const double beyond_continuity = std::abs(rise_count(sorted)) - 1;
  return beyond_continuity > 0 && beyond_continuity > kCriticalScore * std::sqrt(rise_variance(values));
}

double relative_slope(std::span<const double> values) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
    }
  }
  if (slopes.empty()) return 0;
  const double median = median_of(values);
  return median == 0 ? 0 : median_of(slopes) / median;
}

}  // namespace

Trend trend_of(std::span<const double> values) {
  const std::size_t stride = stride_of(values);
  const std::vector<double> some = thinned(values, stride);
  return {relative_slope(some) / static_cast<double>(stride), has_significant_trend(some)};
}

bool is_level(std::span<const double> values) {
  if (values.size() < kLeastForTrend) return false;
  // The slope takes much longer than the test.
  if (!has_significant_trend(thinned(values, stride_of(values)))) return true;
  return std::abs(trend_of(values).slope) * static_cast<double>(values.size() - 1) < kNegligibleChange;
}

}  // namespace gpubench
