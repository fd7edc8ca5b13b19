#include "gpubench/core/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/stats/resampling.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/stats/student.h"

namespace gpubench {
namespace {

constexpr std::size_t kFewest = 3;
constexpr double kLargestAutocorrelation = 0.85;
constexpr std::size_t kStretches = 5;
constexpr std::size_t kMostResampled = 2000;
constexpr std::size_t kLeastInStretch = 3;

/// From so many values on the middle 95 % of the medians of resamples are those of a normal law: the value at
/// half of the ranks, give or take 1.96 standard deviations of how many values of a resample are below the
/// median. These come from blocks; a value that equals the median is half below it.
Interval normal_interval(const Ranked& sample, std::size_t block) {
  const auto& sorted = sample.sorted;
  const double median = median_of(sorted);
  std::vector<double> below{0};  // Of the first values, as measured.
  for (const std::size_t place : sample.places) {
    const double value = sorted[place];
    below.push_back(below.back() + (value < median ? 1 : value > median ? 0 : 0.5));
  }
  std::vector<double> counts;
  for (std::size_t i = block; i < below.size(); ++i) counts.push_back(below[i] - below[i - block]);
  const double blocks = static_cast<double>(sorted.size()) / static_cast<double>(block);
  const double ranks = kNormalScore * std::sqrt(blocks) * summarize(counts).stddev.value();
  const double middle = static_cast<double>(sorted.size() - 1) / 2;
  const auto at = [&](double rank) {
    return sorted[static_cast<std::size_t>(std::clamp(rank, 0.0, 2 * middle))];
  };
  return {at(std::floor(middle - ranks)), at(std::ceil(middle + ranks))};
}

Interval percentile_interval(const Ranked& sample, std::size_t block) {
  if (sample.sorted.size() > kMostResampled) return normal_interval(sample, block);
  Draws draws;
  Counts counts(sample.sorted.size());
  std::vector<double> medians(kResamples);
  for (double& median : medians) median = resampled_median(sample, block, draws, counts);
  return middle_of(std::move(medians));
}

/// A resample scatters less than the values did, by (n - 1) / n in variance, and its scatter is an estimate
/// too. Without this, intervals from blocks of five to twelve values hold the median 78 to 88 times in 100.
double small_sample_factor(double count) {
  return student_factor(count - 1) * std::sqrt(count / (count - 1));
}

/// Of ranks, so that a spike counts no more than any other large value; 0 where all are equal.
double rank_autocorrelation(const Ranked& sample) {
  const double mean = std::accumulate(sample.places.begin(), sample.places.end(), 0.0) /
                      static_cast<double>(sample.places.size());
  double products = 0;
  double squares = 0;
  double previous = 0;
  for (const std::size_t place : sample.places) {
    const double rank = static_cast<double>(place) - mean;
    products += previous * rank;
    squares += rank * rank;
    previous = rank;
  }
  return squares > 0 ? products / squares : 0;
}

/// How much wider the interval of a mean is when neighbours resemble each other, as in a first-order
/// autoregression. The estimate from few values is too low by (1 + 3 r) / n (Kendall 1954,
/// doi:10.1093/biomet/41.3-4.403) and uncertain by 1 / sqrt(n). Its upper limit is taken, because too wide
/// an interval costs a few epochs and too narrow a one is wrong.
double autocorrelation_factor(const Ranked& sample) {
  const double count = static_cast<double>(sample.places.size());
  const double estimate = rank_autocorrelation(sample);
  const double limit = estimate + (1 + 3 * estimate) / count + 2 / std::sqrt(count);
  const double likeness = std::clamp(limit, 0.0, kLargestAutocorrelation);
  return std::sqrt((1 + likeness) / (1 - likeness));
}

std::size_t block_length(std::size_t count) {
  return static_cast<std::size_t>(std::lround(std::cbrt(static_cast<double>(count))));
}

/// `interval` with both its arms from the median `factor` times as long.
Interval widened(const Interval& interval, double median, double factor) {
  return {median - factor * (median - interval.low), median + factor * (interval.high - median)};
}

/// Intervals of values that are never negative, such as times, do not reach below 0.
Interval bounded(const Interval& interval, const Ranked& sample) {
  return sample.sorted.front() < 0 ? interval : Interval{std::max(0.0, interval.low), interval.high};
}

/// As far from the median as one of kStretches equal parts of the series may be from another. On a shared
/// machine times wander for minutes, and then averaging over more of them does not help: the whole series is
/// to the long run what a part of it is to the whole. From kLeastInStretch values on a spike does not move
/// the median of a part.
Interval stretch_interval(std::span<const double> values, double median) {
  if (values.size() < kStretches * kLeastInStretch) return {median, median};
  std::vector<double> medians;
  for (std::size_t i = 0; i < kStretches; ++i) {
    const std::size_t first = i * values.size() / kStretches;
    medians.push_back(median_of(values.subspan(first, (i + 1) * values.size() / kStretches - first)));
  }
  const double half = kNormalScore * student_factor(kStretches - 1) * summarize(medians).stddev.value();
  return {median - half, median + half};
}

Absent too_few() { return absent("an interval needs at least " + std::to_string(kFewest) + " values"); }

}  // namespace

// Blocks keep what neighbours share but there are few of them, so they miss much of the scatter of a short
// series; single values have it all and miss the likeness. So single values are widened for the likeness, and
// the wider arm of the two counts. Chosen by simulation, see tests/unit/engine/stopping_test.cpp.
Reading<Interval> median_interval(std::span<const double> values) {
  if (values.size() < kFewest) return too_few();
  const Ranked sample = ranked(values);
  const double median = median_of(values);
  const double factor = small_sample_factor(static_cast<double>(values.size()));
  const Interval singles =
      widened(percentile_interval(sample, 1), median, factor * autocorrelation_factor(sample));
  const Interval blocks = widened(percentile_interval(sample, block_length(values.size())), median, factor);
  const Interval stretches = stretch_interval(values, median);
  return bounded({std::min({singles.low, blocks.low, stretches.low}),
                  std::max({singles.high, blocks.high, stretches.high})},
                 sample);
}

Reading<Interval> median_interval_of_independent(std::span<const double> values) {
  if (values.size() < kFewest) return too_few();
  const Ranked sample = ranked(values);
  const double factor = small_sample_factor(static_cast<double>(values.size()));
  return bounded(widened(percentile_interval(sample, 1), median_of(values), factor), sample);
}

}  // namespace gpubench
