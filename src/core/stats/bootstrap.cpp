#include "gpubench/core/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace gpubench {
namespace {

constexpr std::size_t kFewest = 3;  // Values that an interval needs.
constexpr std::size_t kResamples = 400;
constexpr std::ptrdiff_t kTail = kResamples / 40;  // 2.5 % at either end.

/// Numbers below a bound; the distributions of the standard differ from library to library.
class Draws {
 public:
  std::size_t below(std::size_t bound) {
    // Half of a draw is enough for a position, and drawing is most of the work.
    drawn_ = has_half_ ? drawn_ >> 32 : random_();
    has_half_ = !has_half_;
    return static_cast<std::size_t>((drawn_ & 0xffffffff) * static_cast<std::uint64_t>(bound) >> 32);
  }

 private:
  std::mt19937_64 random_{1};
  std::uint64_t drawn_ = 0;
  bool has_half_ = false;
};

/// A sample in which every value knows its place in order, so that a resample is counted and never sorted.
struct Ranked {
  std::vector<double> sorted;
  std::vector<std::size_t> places;  ///< Of each value, as measured; equal ones share the first.
};

/// How often each place of a sample occurs in a resample.
using Counts = std::vector<std::uint32_t>;

double median_of_counts(const std::vector<double>& sorted, const Counts& counts) {
  const std::size_t middle = (sorted.size() - 1) / 2;
  std::size_t place = 0;
  std::size_t passed = counts[0];
  while (passed <= middle) passed += counts[++place];
  const double lower = sorted[place];
  if (sorted.size() % 2 == 1 || passed > middle + 1) return lower;
  do ++place;
  while (counts[place] == 0);
  return (lower + sorted[place]) / 2;
}

Ranked ranked(std::span<const double> values) {
  Ranked sample{{values.begin(), values.end()}, {}};
  std::sort(sample.sorted.begin(), sample.sorted.end());
  for (const double value : values) {
    const auto place = std::lower_bound(sample.sorted.begin(), sample.sorted.end(), value);
    sample.places.push_back(static_cast<std::size_t>(place - sample.sorted.begin()));
  }
  return sample;
}

/// The median of whole stretches of `block` neighbours (moving blocks, Künsch 1989,
/// doi:10.1214/aos/1176347265); single values are blocks of one. `counts` has a count for every value, to be
/// overwritten.
double resampled_median(const Ranked& sample, std::size_t block, Draws& draws, Counts& counts) {
  const std::size_t size = sample.sorted.size();
  std::fill(counts.begin(), counts.end(), 0);
  for (std::size_t left = size; left > 0;) {
    const std::size_t start = draws.below(size - block + 1);
    const std::size_t taken = std::min(block, left);
    for (std::size_t i = start; i < start + taken; ++i) ++counts[sample.places[i]];
    left -= taken;
  }
  return median_of_counts(sample.sorted, counts);
}

/// What is left of the figures that `draw` makes of kResamples resamples without 2.5 % of them at either end.
template <class Draw>
Interval middle_of_resamples(Draw draw) {
  std::vector<double> figures(kResamples);
  std::ranges::generate(figures, draw);
  const auto low = figures.begin() + kTail;
  const auto high = figures.end() - 1 - kTail;
  std::nth_element(figures.begin(), low, figures.end());
  std::nth_element(low + 1, high, figures.end());
  return {*low, *high};
}

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
  return middle_of_resamples([&] { return resampled_median(sample, block, draws, counts); });
}

/// A resample scatters less than the values did, by (n - 1) / n in variance, and its scatter is an estimate
/// too. Without this, intervals from blocks of five to twelve values hold the median 78 to 88 times in 100.
double small_sample_factor(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
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

Absent too_few() { return absent("an interval needs at least {} values", kFewest); }

Interval percentile_interval(const Ranked& numerators, const Ranked& denominators) {
  Draws draws;
  Counts above(numerators.sorted.size());
  Counts below(denominators.sorted.size());
  return middle_of_resamples([&] {
    const double numerator = resampled_median(numerators, 1, draws, above);
    return numerator / resampled_median(denominators, 1, draws, below);
  });
}

}  // namespace

// Blocks keep what neighbours share but there are few of them, so they miss much of the scatter of a short
// series; single values have it all and miss the likeness. So single values are widened for the likeness, and
// the wider arm of the two counts. Chosen by simulation, see tests/unit/engine/stopping_test.cpp.
Reading<Interval> median_interval(std::span<const double> values) {
  if (values.size() < kFewest) return too_few();
  const Ranked sample = ranked(values);
  const double median = median_of(values);
  const double factor = small_sample_factor(values);
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
  const Interval singles = percentile_interval(sample, 1);
  return bounded(widened(singles, median_of(values), small_sample_factor(values)), sample);
}

Estimate ratio_of_medians(std::span<const double> numerators, std::span<const double> denominators) {
  const double value = median_of(numerators) / median_of(denominators);
  const std::size_t fewer = std::min(numerators.size(), denominators.size());
  if (fewer < kFewest) return {value, absent("an interval needs at least 3 values a side")};
  const Ranked above = ranked(numerators);
  const Ranked below = ranked(denominators);
  if (!(above.sorted.front() > 0 && below.sorted.front() > 0))
    return {value, absent("a value is not above 0")};
  const Interval interval = percentile_interval(above, below);
  const double factor = student_factor(2 * static_cast<double>(fewer - 1));
  return {value, Interval{value * std::pow(interval.low / value, factor),
                          value * std::pow(interval.high / value, factor)}};
}

}  // namespace gpubench
