// Confidence intervals of autocorrelated series.

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
/// Usual number of stretches: few enough that one is longer than a disturbance. A series has more if each
/// gets at least three values.
constexpr std::size_t kStretches = 20;
constexpr std::size_t kMostStretches = 40;
constexpr double kFarthest = 4;  // Largest distance of a spike from the median, in scaled MADs.

/// Prior of the autocorrelation: a quarter of the weight is on 0, the rest is uniform from 0 to 1.
constexpr int kAutocorrelations = 24;
constexpr double kWeightOfZero = kAutocorrelations / 3.0;

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

/// Sums over deviations from the mean, from which a first-order autoregression is computed.
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
  double products = 0;  ///< Sum of the products of neighbours.
  double ends = 0;      ///< Sum of the first and the last deviation.
  double inner = 0;     ///< Sum of the squares without the first and the last.
};

/// Distribution of the long-run level at one autocorrelation.
struct Level {
  double weight = 0;  ///< Posterior probability of the autocorrelation; its logarithm at first.
  double middle = 0;  ///< Difference from the mean.
  double scale = 0;   ///< Scale of Student's distribution around `middle`.
};

/// Fits the level by generalised least squares, with the scatter integrated out.
Level level_at(double autocorrelation, const Sums& sums) {
  const double square = autocorrelation * autocorrelation;
  const double weights = sums.count - 2 * autocorrelation * (sums.count - 1) + square * (sums.count - 2);
  const double middle = (autocorrelation - square) * sums.ends / weights;
  const double rest = sums.squares - 2 * autocorrelation * sums.products + square * sums.inner;
  const double squares = std::max(rest - middle * middle * weights, 1e-12 * sums.squares);
  const double freedom = sums.count - 1;
  return {(std::log1p(-square) - std::log(weights) - freedom * std::log(squares / sums.squares)) / 2, middle,
          std::sqrt(squares / freedom / weights)};
}

/// Weights the level at each autocorrelation by its probability (Zellner and Tiao 1964,
/// doi:10.1080/01621459.1964.10480726).
std::vector<Level> make_levels(const Sums& sums) {
  std::vector<Level> levels{level_at(0, sums)};
  levels.front().weight += std::log(kWeightOfZero);
  for (int i = 0; i < kAutocorrelations; ++i) levels.push_back(level_at((i + 0.5) / kAutocorrelations, sums));
  const double most = std::ranges::max(levels, {}, &Level::weight).weight;
  double sum = 0;
  for (Level& level : levels) sum += level.weight = std::exp(level.weight - most);
  for (Level& level : levels) level.weight /= sum;
  return levels;
}

/// Returns Student's distribution function, to 0.001 (Wallace 1959, doi:10.1214/aoms/1177706092).
double student_below(double t, double freedom) {
  const double score =
      (8 * freedom + 1) / (8 * freedom + 3) * std::sqrt(freedom * std::log1p(t * t / freedom));
  return std::erfc((t < 0 ? score : -score) / std::numbers::sqrt2) / 2;
}

/// Returns half the width of the 95 % interval around the expected level.
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
  for (double& value : values) value /= unit;  // Keeps squares from overflow and underflow.
  const Sums sums(values);
  return sums.squares > 0 ? unit * compute_halfwidth(make_levels(sums), sums.count - 1) : 0;
}

/// Returns the median ± `half`. Values that are never negative, such as times, have no limit below 0.
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
