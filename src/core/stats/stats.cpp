#include "gpubench/core/stats/stats.h"

#include <algorithm>
#include <cmath>
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
  return compute_median(distances);
}

}  // namespace

Summary summarize(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("summarize: no values");
  Summary summary;
  summary.count = values.size();
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  summary.median = compute_median(values);
  double squares = 0;
  for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
  summary.stddev = missing("only one value");
  if (values.size() > 1) summary.stddev = std::sqrt(squares / static_cast<double>(values.size() - 1));
  summary.mad = deviation_from(values, summary.median);
  const auto [least, most] = std::ranges::minmax(values);
  summary.min = least;
  summary.max = most;
  return summary;
}

double compute_median(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("compute_median: no values");
  std::vector<double> parted(values.begin(), values.end());
  const auto middle = parted.begin() + static_cast<std::ptrdiff_t>(parted.size() / 2);
  std::nth_element(parted.begin(), middle, parted.end());
  return parted.size() % 2 == 1 ? *middle : (*std::max_element(parted.begin(), middle) + *middle) / 2;
}

double compute_quantile(std::span<const double> values, double part) {
  if (values.empty()) throw std::invalid_argument("compute_quantile: no values");
  std::vector<double> parted(values.begin(), values.end());
  const double place = std::clamp(part, 0.0, 1.0) * static_cast<double>(parted.size() - 1);
  const auto below = parted.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(parted.begin(), below, parted.end());
  const auto above = std::min_element(below + 1, parted.end());
  return above == parted.end() ? *below : std::lerp(*below, *above, place - std::floor(place));
}

std::vector<std::size_t> outliers(std::span<const double> values) {
  std::vector<std::size_t> positions;
  if (values.empty()) return positions;
  const double median = compute_median(values);
  const double limit = kLargestScore * deviation_from(values, median) / kMadOfNormal;
  if (limit == 0) return positions;
  for (std::size_t position = 0; position < values.size(); ++position) {
    if (std::abs(values[position] - median) > limit) positions.push_back(position);
  }
  return positions;
}

bool has_order(std::span<const double> values) {
  if (values.size() < kLeastForTrend) return false;
  const double count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double steps = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - mean) * (values[i] - mean);
    if (i > 0) steps += (values[i] - values[i - 1]) * (values[i] - values[i - 1]);
  }
  constexpr double kOneSidedScore = 1.645;
  return steps < (2 - kOneSidedScore * std::sqrt(4 * (count - 2) / (count * count - 1))) * squares;
}

double student_factor(double freedom) {
  constexpr double z2 = kNormalScore * kNormalScore;
  const double first = (z2 + 1) / 4;
  const double second = ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return 1 + (first + (second + third / freedom) / freedom) / freedom;
}

}  // namespace gpubench
