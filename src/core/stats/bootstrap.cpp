#include "gpubench/core/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

/// Up to so many values their scatter says more than resamples, of which there are too few different ones. Of
/// more, medians are off the mean where machines have two speeds. Chosen by simulation, see
/// docs/intervals.md.
constexpr std::size_t kFew = 7;
constexpr std::size_t kFewResamples = 6;  // From here on both are asked.
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

/// `counts` has a count for every value, to be overwritten.
double resampled_median(const Ranked& sample, Draws& draws, Counts& counts) {
  const std::size_t size = sample.sorted.size();
  std::ranges::fill(counts, 0);
  for (std::size_t i = 0; i < size; ++i) ++counts[sample.places[draws.below(size)]];
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

Interval percentile_interval(const Ranked& sample) {
  Draws draws;
  Counts counts(sample.sorted.size());
  return middle_of_resamples([&] { return resampled_median(sample, draws, counts); });
}

/// A resample scatters less than the values did, by (n - 1) / n in variance, and its scatter is an estimate
/// too.
double small_sample_factor(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  return student_factor(count - 1) * std::sqrt(count / (count - 1));
}

/// `interval` with both its arms from the median `factor` times as long.
Interval widened(const Interval& interval, double median, double factor) {
  return {median - factor * (median - interval.low), median + factor * (interval.high - median)};
}

/// Intervals of values that are never negative, such as times, do not reach below 0.
Interval bounded(const Interval& interval, const Ranked& sample) {
  return sample.sorted.front() < 0 ? interval : Interval{std::max(0.0, interval.low), interval.high};
}

Missing too_few() { return missing("an interval needs at least {} values", kFewestForInterval); }

Interval percentile_interval(const Ranked& numerators, const Ranked& denominators) {
  Draws draws;
  Counts above(numerators.sorted.size());
  Counts below(denominators.sorted.size());
  return middle_of_resamples([&] {
    const double numerator = resampled_median(numerators, draws, above);
    return numerator / resampled_median(denominators, draws, below);
  });
}

/// In logarithms, where what slows a process by a tenth weighs as much as what speeds it up so.
struct LogMean {
  double mean = 0;      ///< Beside the median.
  double variance = 0;  ///< Of the mean.
  double freedom = 0;
};

LogMean compute_log_mean(std::span<const double> values) {
  const auto from_median = [median = compute_median(values)](double value) {
    return std::log(value / median);
  };
  const Summary logs = summarize(mapped(values, from_median));
  const auto count = static_cast<double>(logs.count);
  return {logs.mean, std::pow(logs.stddev.value(), 2) / count, count - 1};
}

/// The difference of two means, of which each scatters as it does: Welch 1947, doi:10.1093/biomet/34.1-2.28.
LogMean describe_difference(const LogMean& a, const LogMean& b) {
  const double variance = a.variance + b.variance;
  const double shares = a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom;
  return {a.mean - b.mean, variance, shares > 0 ? variance * variance / shares : a.freedom + b.freedom};
}

/// Student's, with the median in it even where most values are equal.
Interval student_interval(double median, const LogMean& logs) {
  const double half = kNormalScore * student_factor(logs.freedom) * std::sqrt(logs.variance);
  return {median * std::exp(std::min(0.0, logs.mean - half)),
          median * std::exp(std::max(0.0, logs.mean + half))};
}

bool is_above_zero(std::span<const double> values) { return std::ranges::min(values) > 0; }

Interval bootstrap_interval(std::span<const double> values) {
  const Ranked sample = ranked(values);
  return bounded(widened(percentile_interval(sample), compute_median(values), small_sample_factor(values)),
                 sample);
}

/// What either allows.
Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Why there is no interval of a ratio; empty where there is one.
std::string obstacle_to_ratio(std::span<const double> numerators, std::span<const double> denominators) {
  if (std::min(numerators.size(), denominators.size()) < kFewestForInterval)
    return "an interval needs at least 3 values a side";
  return is_above_zero(numerators) && is_above_zero(denominators) ? "" : "a value is not above 0";
}

/// Where a single value may be that scatters as these do.
LogMean compute_log_value(std::span<const double> values) {
  LogMean logs = compute_log_mean(values);
  logs.variance *= static_cast<double>(values.size());
  return logs;
}

}  // namespace

Measured<Interval> median_interval_of_independent(std::span<const double> values) {
  if (values.size() < kFewestForInterval) return too_few();
  if (values.size() > kFew || !is_above_zero(values)) return bootstrap_interval(values);
  const Interval by_scatter = student_interval(compute_median(values), compute_log_mean(values));
  return values.size() < kFewResamples ? by_scatter : hull(by_scatter, bootstrap_interval(values));
}

Estimate ratio_of_medians(std::span<const double> numerators, std::span<const double> denominators) {
  const double value = compute_median(numerators) / compute_median(denominators);
  if (const std::string why = obstacle_to_ratio(numerators, denominators); !why.empty())
    return {value, missing(why)};
  if (std::max(numerators.size(), denominators.size()) <= kFew)
    return {value, student_interval(value, describe_difference(compute_log_mean(numerators),
                                                               compute_log_mean(denominators)))};
  const Interval interval = percentile_interval(ranked(numerators), ranked(denominators));
  const auto fewer = static_cast<double>(std::min(numerators.size(), denominators.size()));
  const double factor = student_factor(2 * (fewer - 1));
  return {value, Interval{value * std::pow(interval.low / value, factor),
                          value * std::pow(interval.high / value, factor)}};
}

Estimate ratio_of_stretches(std::span<const double> numerators, std::span<const double> denominators) {
  const double value = compute_median(numerators) / compute_median(denominators);
  if (const std::string why = obstacle_to_ratio(numerators, denominators); !why.empty())
    return {value, missing(why)};
  return {value, student_interval(value, describe_difference(compute_log_value(numerators),
                                                             compute_log_value(denominators)))};
}

}  // namespace gpubench
