#include "gpubench/core/stats/stats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <random>
#include <stdexcept>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

/// Largest sample size with an interval of Student's distribution; larger samples use a bootstrap. Chosen by
/// simulation (docs/research/intervals.md): few values have too few different resamples, and the median of
/// many values from a machine with two speeds is far from their mean.
constexpr std::size_t kFew = 7;
constexpr std::size_t kFewResamples = 6;  // Smallest sample with an interval from scatter and resamples.
constexpr std::size_t kResamples = 400;
constexpr std::ptrdiff_t kTail = kResamples / 40;  // 2.5 % at either end.

/// Random numbers below a bound. Not std::uniform_int_distribution, whose results depend on the library.
class Draws {
 public:
  std::size_t below(std::size_t bound) {
    // Half of a draw suffices for a position, and drawing takes most of the time.
    drawn_ = has_half_ ? drawn_ >> 32 : random_();
    has_half_ = !has_half_;
    return static_cast<std::size_t>((drawn_ & 0xffffffff) * static_cast<std::uint64_t>(bound) >> 32);
  }

 private:
  std::mt19937_64 random_{1};
  std::uint64_t drawn_ = 0;
  bool has_half_ = false;
};

double resampled_median(std::span<const double> values, Draws& draws) {
  std::vector<double> resample(values.size());
  std::ranges::generate(resample, [&] { return values[draws.below(values.size())]; });
  return compute_median(resample);
}

/// Returns the central 95 % of kResamples results of `draw`.
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

/// Mean of logarithms, in which a slowdown weighs as much as a speed-up by the same factor.
struct LogMean {
  double mean = 0;      ///< Difference from the logarithm of the median.
  double variance = 0;  ///< Variance of the mean.
  double freedom = 0;   ///< Degrees of freedom.
};

LogMean compute_log_mean(std::span<const double> values) {
  const double median = compute_median(values);
  const Summary logs = summarize(mapped(values, [&](double value) { return std::log(value / median); }));
  const auto count = static_cast<double>(logs.count);
  return {logs.mean, std::pow(logs.stddev.value(), 2) / count, count - 1};
}

/// Returns the difference of two means of unequal variances (Welch 1947, doi:10.1093/biomet/34.1-2.28), or of
/// two single values, which scatter more, if `is_of_stretches`.
LogMean compute_difference(std::span<const double> numerators, std::span<const double> denominators,
                           bool is_of_stretches) {
  LogMean a = compute_log_mean(numerators);
  LogMean b = compute_log_mean(denominators);
  if (is_of_stretches) {
    a.variance *= static_cast<double>(numerators.size());
    b.variance *= static_cast<double>(denominators.size());
  }
  const double variance = a.variance + b.variance;
  const double shares = a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom;
  return {a.mean - b.mean, variance, shares > 0 ? variance * variance / shares : a.freedom + b.freedom};
}

/// Returns Student's interval, extended to the median, which may be off the mean.
Interval student_interval(double median, const LogMean& logs) {
  const double half = kNormalScore * student_factor(logs.freedom) * std::sqrt(logs.variance);
  return {median * std::exp(std::min(0.0, logs.mean - half)),
          median * std::exp(std::max(0.0, logs.mean + half))};
}

bool is_above_zero(std::span<const double> values) { return std::ranges::min(values) > 0; }

Interval bootstrap_interval(std::span<const double> values) {
  Draws draws;
  const Interval interval = middle_of_resamples([&] { return resampled_median(values, draws); });
  const double median = compute_median(values);
  // Corrects the variance of a resample, which is (n - 1) / n of that of the values, and only an estimate.
  const auto count = static_cast<double>(values.size());
  const double factor = student_factor(count - 1) * std::sqrt(count / (count - 1));
  const double low = median - factor * (median - interval.low);
  // Intervals of values that are never negative, such as times, do not reach below 0.
  return {std::ranges::min(values) < 0 ? low : std::max(0.0, low),
          median + factor * (interval.high - median)};
}

/// Returns the ratio of the medians, with the interval from `make_interval` if the values allow one.
template <class MakeInterval>
Estimate divide_medians(std::span<const double> numerators, std::span<const double> denominators,
                        MakeInterval make_interval) {
  const double value = compute_median(numerators) / compute_median(denominators);
  if (std::min(numerators.size(), denominators.size()) < kFewestForInterval)
    return {value, missing("an interval needs at least 3 values per side")};
  if (!is_above_zero(numerators) || !is_above_zero(denominators))
    return {value, missing("a value is not above 0")};
  return {value, make_interval(value)};
}

/// Returns the bootstrap interval of a ratio of medians; needs more than kFew values on one side.
Interval resampled_ratio_interval(std::span<const double> numerators, std::span<const double> denominators,
                                  double ratio) {
  Draws draws;
  const Interval interval = middle_of_resamples([&] {
    const double numerator = resampled_median(numerators, draws);
    return numerator / resampled_median(denominators, draws);
  });
  const auto fewer = static_cast<double>(std::min(numerators.size(), denominators.size()));
  const double factor = student_factor(2 * (fewer - 1));
  return {ratio * std::pow(interval.low / ratio, factor), ratio * std::pow(interval.high / ratio, factor)};
}

// Sides measured in interleaved runs.

constexpr double kLevel = 0.004;  // Two-sided error of one interval.
constexpr double kNormalScoreAtLevel = 2.878162;
constexpr std::size_t kMostExact = 60;
constexpr std::size_t kFewestRanked = 7;  // Fewest rounds with an interval by signed ranks.

/// Two-sided quantiles of Student's distribution at kLevel, for 4, 5 and 6 rounds.
constexpr std::array kStudentAtLevel = {8.0526, 5.9514, 5.0302};
constexpr double kLeastFactor = 1.25;

/// Returns the probability of each value of Wilcoxon's signed-rank statistic for `count` differences.
std::vector<double> signed_rank_probabilities(std::size_t count) {
  std::vector<double> probabilities(count * (count + 1) / 2 + 1, 0);
  probabilities[0] = 1;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    for (std::size_t sum = probabilities.size(); sum-- > 0;)
      probabilities[sum] = (probabilities[sum] + (sum >= rank ? probabilities[sum - rank] : 0)) / 2;
  }
  return probabilities;
}

/// Returns the number of ordered pair means beyond each end of the interval; 0 for seven or eight rounds
/// (tails of 1.6 or 0.8 %).
std::size_t means_beyond(std::size_t rounds) {
  const auto count = static_cast<double>(rounds);
  if (rounds > kMostExact) {
    const double deviation = std::sqrt(count * (count + 1) * (2 * count + 1) / 24);
    return static_cast<std::size_t>(count * (count + 1) / 4 - 0.5 - kNormalScoreAtLevel * deviation);
  }
  const std::vector<double> probabilities = signed_rank_probabilities(rounds);
  std::size_t beyond = 0;
  double tail = probabilities[0];
  // Adds means while both tails together stay within the level.
  while (2 * (tail += probabilities[beyond + 1]) <= kLevel) ++beyond;
  return beyond;
}

Estimate estimate_by_signed_ranks(const std::vector<double>& logarithms) {
  std::vector<double> means;
  for (auto first = logarithms.begin(); first != logarithms.end(); ++first) {
    for (auto second = first; second != logarithms.end(); ++second) means.push_back((*first + *second) / 2);
  }
  std::ranges::sort(means);
  const std::size_t beyond = means_beyond(logarithms.size());
  return {std::exp(compute_median(means)),
          Interval{std::exp(means[beyond]), std::exp(means[means.size() - 1 - beyond])}};
}

Estimate estimate_by_student(const std::vector<double>& logarithms) {
  const Summary summary = summarize(logarithms);
  const double ratio = std::exp(summary.mean);
  const std::size_t count = logarithms.size();
  if (count < kFewestRounds) return {ratio, missing("only {} of the needed {} rounds", count, kFewestRounds)};
  const double student = std::exp(kStudentAtLevel[count - kFewestRounds] * summary.stddev.value() /
                                  std::sqrt(static_cast<double>(count)));
  const double arm = std::max(kLeastFactor, student);
  return {ratio, Interval{ratio / arm, ratio * arm}};
}

}  // namespace

Measured<Interval> median_interval_of_independent(std::span<const double> values) {
  if (values.size() < kFewestForInterval)
    return missing("an interval needs at least {} values", kFewestForInterval);
  if (values.size() > kFew || !is_above_zero(values)) return bootstrap_interval(values);
  const Interval by_scatter = student_interval(compute_median(values), compute_log_mean(values));
  if (values.size() < kFewResamples) return by_scatter;
  const Interval by_resamples = bootstrap_interval(values);
  return Interval{std::min(by_scatter.low, by_resamples.low), std::max(by_scatter.high, by_resamples.high)};
}

Estimate ratio_of_medians(std::span<const double> numerators, std::span<const double> denominators) {
  return divide_medians(numerators, denominators, [&](double ratio) {
    if (std::max(numerators.size(), denominators.size()) > kFew)
      return resampled_ratio_interval(numerators, denominators, ratio);
    return student_interval(ratio, compute_difference(numerators, denominators, /*is_of_stretches=*/false));
  });
}

Estimate ratio_of_stretches(std::span<const double> numerators, std::span<const double> denominators) {
  return divide_medians(numerators, denominators, [&](double ratio) {
    return student_interval(ratio, compute_difference(numerators, denominators, /*is_of_stretches=*/true));
  });
}

double freedom_of_ratio(std::span<const double> numerators, std::span<const double> denominators,
                        bool is_of_stretches) {
  if (std::max(numerators.size(), denominators.size()) > kFew)
    return 2 * (static_cast<double>(std::min(numerators.size(), denominators.size())) - 1);
  return compute_difference(numerators, denominators, is_of_stretches).freedom;
}

Estimate inverted(const Estimate& estimate) {
  return {1 / estimate.value, estimate.interval.then([](const Interval& interval) {
            return interval.low > 0 ? Measured(Interval{1 / interval.high, 1 / interval.low})
                                    : Measured<Interval>(missing("the interval includes 0"));
          })};
}

Estimate compute_geometric_mean(std::span<const Estimate> figures) {
  if (figures.empty()) throw std::invalid_argument("compute_geometric_mean: no values");
  const double count = static_cast<double>(figures.size());
  double logarithms = 0;
  for (const Estimate& figure : figures) logarithms += std::log(figure.value);
  const double value = std::exp(logarithms / count);
  double below = 0;
  double above = 0;
  for (const Estimate& figure : figures) {
    if (!figure.interval.has_value()) return {value, figure.interval.why()};
    const auto [low, high] = figure.interval.value();
    if (!(low > 0)) return {value, missing("the interval of a figure reaches down to 0")};
    below += std::log(figure.value / low);
    above += std::log(high / figure.value);
  }
  return {value, Interval{value * std::exp(-below / count), value * std::exp(above / count)}};
}

Estimate ratio_of_rounds(std::span<const double> over, std::span<const double> under) {
  if (over.empty() || over.size() != under.size())
    throw std::invalid_argument("ratio_of_rounds: sides of unequal length, or no values");
  if (!(std::ranges::min(over) > 0) || !(std::ranges::min(under) > 0))
    return {compute_median(over) / compute_median(under), missing("a value is not above 0")};
  std::vector<double> logarithms;
  std::ranges::transform(over, under, std::back_inserter(logarithms),
                         [](double a, double b) { return std::log(a / b); });
  return logarithms.size() < kFewestRanked ? estimate_by_student(logarithms)
                                           : estimate_by_signed_ranks(logarithms);
}

}  // namespace gpubench
