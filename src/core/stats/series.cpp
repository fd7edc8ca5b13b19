// Intervals of series whose neighbours resemble each other.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <vector>

#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

constexpr std::size_t kFewestParts = 8;
/// Fewest stretches, to show disturbances longer than a few values; more have at least three values each.
constexpr std::size_t kStretches = 20;
constexpr std::size_t kMostStretches = 40;
constexpr double kFarthest = 4;  // A spike counts as so many scaled MADs from the median.

/// A quarter of the weight is on values that do not depend on each other, the rest even from 0 to 1.
constexpr int kLikenesses = 24;
constexpr double kWeightOfNone = kLikenesses / 3.0;

double compute_mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> compute_stretches(std::span<const double> values, std::size_t count,
                                      double (*figure)(std::span<const double>)) {
  std::vector<double> figures;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * values.size() / count;
    figures.push_back(figure(values.subspan(first, (i + 1) * values.size() / count - first)));
  }
  return figures;
}

/// Sums of the deviations from the mean, of which a first-order autoregression is made.
struct Sums {
  explicit Sums(std::span<const double> values) : count(static_cast<double>(values.size())) {
    const double mean = compute_mean(values);
    double previous = 0;
    for (const double value : values) {
      squares += (value - mean) * (value - mean);
      products += (value - mean) * previous;
      previous = value - mean;
    }
    ends = values.front() - mean + previous;
    inner = squares - std::pow(values.front() - mean, 2) - previous * previous;
  }

  double count;
  double squares = 0;
  double products = 0;  ///< Of neighbours.
  double ends = 0;      ///< First and last.
  double inner = 0;     ///< Squares of all but these.
};

/// Long-run level if neighbours resemble each other by `likeness`.
struct Level {
  double weight = 0;  ///< How likely that is, as a logarithm at first.
  double middle = 0;  ///< Beside the mean,
  double scale = 0;   ///< with Student's distribution around it.
};

/// Generalised least squares, with the scatter integrated out.
Level level_at(double likeness, const Sums& sums) {
  const double square = likeness * likeness;
  const double weights = sums.count - 2 * likeness * (sums.count - 1) + square * (sums.count - 2);
  const double middle = (likeness - square) * sums.ends / weights;
  const double rest = sums.squares - 2 * likeness * sums.products + square * sums.inner;
  const double squares = std::max(rest - middle * middle * weights, 1e-12 * sums.squares);
  const double freedom = sums.count - 1;
  return {(std::log1p(-square) - std::log(weights) - freedom * std::log(squares / sums.squares)) / 2, middle,
          std::sqrt(squares / freedom / weights)};
}

/// By how likely each likeness is (Zellner and Tiao 1964, doi:10.1080/01621459.1964.10480726).
std::vector<Level> make_levels(const Sums& sums) {
  std::vector<Level> levels{level_at(0, sums)};
  levels.front().weight += std::log(kWeightOfNone);
  for (int i = 0; i < kLikenesses; ++i) levels.push_back(level_at((i + 0.5) / kLikenesses, sums));
  const double most = std::ranges::max(levels, {}, &Level::weight).weight;
  double sum = 0;
  for (Level& level : levels) sum += level.weight = std::exp(level.weight - most);
  for (Level& level : levels) level.weight /= sum;
  return levels;
}

/// Student's distribution function, to a thousandth: Wallace 1959, doi:10.1214/aoms/1177706092.
double student_below(double t, double freedom) {
  const double score =
      (8 * freedom + 1) / (8 * freedom + 3) * std::sqrt(freedom * std::log1p(t * t / freedom));
  return std::erfc((t < 0 ? score : -score) / std::numbers::sqrt2) / 2;
}

/// Half of what holds 95 % of where the level may be, in the middle of which it is expected.
double compute_halfwidth(const std::vector<Level>& levels, double freedom) {
  double middle = 0;
  for (const Level& level : levels) middle += level.weight * level.middle;
  const auto is_short = [&](double half) {
    double held = 0;
    for (const Level& level : levels) {
      const double off = middle - level.middle;
      held += level.weight * (student_below((off + half) / level.scale, freedom) -
                              student_below((off - half) / level.scale, freedom));
    }
    return held < 0.95;
  };
  double low = 0;
  double high = levels.front().scale;
  while (is_short(high)) high *= 2;
  while (high - low > 1e-3 * high) (is_short((low + high) / 2) ? low : high) = (low + high) / 2;
  return high;
}

double level_halfwidth(std::vector<double> values) {
  clip_spikes(values, kFarthest);
  const double unit = std::max(std::abs(std::ranges::min(values)), std::abs(std::ranges::max(values)));
  if (unit == 0) return 0;
  for (double& value : values) value /= unit;  // Squares of any times can be added up.
  const Sums sums(values);
  return sums.squares > 0 ? unit * compute_halfwidth(make_levels(sums), sums.count - 1) : 0;
}

/// Intervals of values that are never negative, such as times, do not reach below 0.
Interval around_median(std::span<const double> values, double half) {
  const double median = compute_median(values);
  const double low = median - half;
  return {std::ranges::min(values) < 0 ? low : std::max(0.0, low), median + half};
}

}  // namespace

Measured<Interval> median_interval(std::span<const double> values) {
  if (values.size() < kFewestForInterval)
    return missing("an interval needs at least {} values", kFewestForInterval);
  const std::size_t count =
      std::min(values.size(), std::clamp(values.size() / 3, kStretches, kMostStretches));
  return around_median(values, level_halfwidth(compute_stretches(values, count, compute_median)));
}

Measured<Interval> median_interval_by_parts(std::span<const double> values, std::span<const double> parts) {
  if (values.empty() || values.size() >= kStretches || parts.size() < kFewestParts ||
      !(compute_mean(parts) > 0))
    return median_interval(values);
  const double whole = compute_median(values) / compute_mean(parts);
  const std::size_t count = std::min(parts.size(), kStretches);
  return around_median(values,
                       std::abs(whole) * level_halfwidth(compute_stretches(parts, count, compute_mean)));
}

}  // namespace gpubench
