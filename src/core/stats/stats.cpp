#include "gpubench/core/stats/stats.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

namespace gpubench {
namespace {

// Iglewicz and Hoaglin's figures: the MAD of a normal sample is 0.6745 of its standard deviation.
constexpr double kMadOfNormal = 0.6745;
constexpr double kLargestScore = 3.5;

double deviation_from(std::span<const double> values, double median) {
  std::vector<double> distances(values.begin(), values.end());
  for (double& distance : distances) distance = std::abs(distance - median);
  return median_of(distances);
}

Reading<double> sample_stddev(std::span<const double> values, double mean) {
  if (values.size() < 2) return absent("a single value has no spread");
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

constexpr double kNegligibleChange = 0.01;  // From the first value to the last.
constexpr std::size_t kMost = 2000;         // For the slope, each is compared with each.

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
  return beyond_continuity > 0 && beyond_continuity > kNormalScore * std::sqrt(rise_variance(values));
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

Summary summarize(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("summarize: no values");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());

  Summary summary;
  summary.count = sorted.size();
  summary.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  summary.median = median_of(sorted);
  summary.stddev = sample_stddev(sorted, summary.mean);
  summary.mad = deviation_from(sorted, summary.median);
  summary.min = sorted.front();
  summary.max = sorted.back();
  return summary;
}

double median_of(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("median_of: no values");
  std::vector<double> parted(values.begin(), values.end());
  const auto middle = parted.begin() + static_cast<std::ptrdiff_t>(parted.size() / 2);
  std::nth_element(parted.begin(), middle, parted.end());
  return parted.size() % 2 == 1 ? *middle : (*std::max_element(parted.begin(), middle) + *middle) / 2;
}

std::vector<std::size_t> outliers(std::span<const double> values) {
  std::vector<std::size_t> positions;
  if (values.empty()) return positions;
  const double median = median_of(values);
  const double limit = kLargestScore * deviation_from(values, median) / kMadOfNormal;
  if (limit == 0) return positions;
  for (std::size_t position = 0; position < values.size(); ++position) {
    if (std::abs(values[position] - median) > limit) positions.push_back(position);
  }
  return positions;
}

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

double student_factor(double freedom) {
  const double z = kNormalScore;
  const double z2 = z * z;
  const double first = (z2 + 1) / 4;
  const double second = ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return 1 + (first + (second + third / freedom) / freedom) / freedom;
}

}  // namespace gpubench
