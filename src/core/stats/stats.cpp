#include "gpubench/core/stats/stats.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

// Constants of Iglewicz and Hoaglin: the MAD of a normal sample is 0.6745 of its standard deviation.
constexpr double kMadOfNormal = 0.6745;
constexpr double kLargestScore = 3.5;

double deviation_from(std::span<const double> values, double median) {
  return compute_median(mapped(values, [&](double value) { return std::abs(value - median); }));
}

// Trends.

constexpr double kNegligibleChange = 0.01;  // Relative change from the first value to the last.
constexpr std::size_t kMost = 2000;         // Limits the time for the slope, which compares all pairs.

/// Values in periods. A long series is thinned to every `stride`-th period.
struct Course {
  std::vector<double> values;
  std::size_t period = 1;
  std::size_t stride = 1;

  double count() const { return static_cast<double>(values.size()); }
  double periods() const { return count() / static_cast<double>(period); }
};

Course make_course(std::span<const double> values, std::size_t period) {
  const std::size_t periods = values.size() / period;
  Course course{{}, period, std::max<std::size_t>(1, (periods * period + kMost - 1) / kMost)};
  for (std::size_t i = 0; i < periods; i += course.stride)
    append(course.values, values.subspan(i * period, period));
  return course;
}

/// Returns the median change per value, over pairs at the same place in their periods.
double compute_slope(const Course& course) {
  const std::vector<double>& values = course.values;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + course.period; j < values.size(); j += course.period) {
      slopes.push_back((values[j] - values[i]) / static_cast<double>((j - i) * course.stride));
    }
  }
  return slopes.empty() ? 0 : compute_median(slopes);
}

/// Returns the number of rising pairs minus the number of falling pairs.
double rise_count(std::span<const double> values) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) count += (values[i] > values[j]) - (values[i] < values[j]);
  }
  return static_cast<double>(count);
}

/// Returns n (n - 1) (2 n + 5) / 18, the variance of the rise count of n distinct values in random order.
double variance_without_ties(double count) { return count * (count - 1) * (2 * count + 5) / 18; }

double rise_variance(std::span<const double> values) {
  std::map<double, double> ties;
  for (const double value : values) ties[value] += 1;
  double variance = variance_without_ties(static_cast<double>(values.size()));
  for (const auto& [value, count] : ties) variance -= variance_without_ties(count);
  return variance;
}

/// Removes the mean of each place in the period. With n periods this takes 1 / n of the variance of the
/// scatter, and none of the variance of the rise count.
void remove_profile(Course& course) {
  if (course.period == 1) return;
  std::vector<double> means(course.period);
  for (std::size_t i = 0; i < course.values.size(); ++i)
    means[i % course.period] += course.values[i] / course.periods();
  for (std::size_t i = 0; i < course.values.size(); ++i) course.values[i] -= means[i % course.period];
}

double compute_range(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return most - least;
}

/// Returns the autocorrelation of the ranks, in which a spike weighs no more than any other large value.
double rank_autocorrelation(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  const std::vector<double> ranks = mapped(values, [&](double value) {
    return static_cast<double>(std::ranges::lower_bound(sorted, value) - sorted.begin());
  });
  const double mean = std::accumulate(ranks.begin(), ranks.end(), 0.0) / static_cast<double>(ranks.size());
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    squares += (ranks[i] - mean) * (ranks[i] - mean);
    if (i > 0) products += (ranks[i] - mean) * (ranks[i - 1] - mean);
  }
  return products / squares;
}

/// Returns the autocorrelation around a straight line, corrected for its bias of -(2 + 4 r) / n. Adds half of
/// its standard error, 1 / sqrt(n), since false alarms are worse than a trend that is found later.
double neighbour_autocorrelation(const Course& course) {
  constexpr double kLargest = 0.98;
  constexpr double kRounding = 1e-9;
  // Residuals of a straight line that moves each period as a whole.
  const double step = compute_slope(course) * static_cast<double>(course.period * course.stride);
  std::vector<double> rest = course.values;
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= step * static_cast<double>(i / course.period);
  if (compute_range(rest) <= kRounding * compute_range(course.values)) return 0;
  const double estimate = rank_autocorrelation(rest);
  const double count = course.count();
  return std::clamp(estimate + (2 + 4 * estimate) / count + 0.5 / std::sqrt(count), 0.0, kLargest);
}

/// Returns n / n* of Hamed and Rao if the autocorrelation decays as a power of the distance. With an estimate
/// at each distance, 40 % of series of 50 values at autocorrelation 0.9 are false alarms.
double variance_factor(double count, double autocorrelation) {
  double sum = 0;
  double power = 1;
  for (double i = 1; i < count - 2; ++i) {
    power *= autocorrelation;
    sum += (count - i) * (count - i - 1) * (count - i - 2) * power;
  }
  return 1 + 2 / (count * (count - 1) * (count - 2)) * sum;
}

/// Returns the factor that widens the test, since fewer independent values give a less certain variance.
double estimation_factor(const Course& course, double variance_factor) {
  const double free =
      course.period == 1 ? course.count() : course.count() - static_cast<double>(course.period);
  const auto student = [](double count) { return student_factor(std::max(1.0, count - 2)); };
  return student(free / variance_factor) / student(free);
}

bool has_significant_trend(Course course) {
  if (course.values.size() < kLeastForTrend) return false;
  remove_profile(course);
  const double beyond_continuity = std::abs(rise_count(course.values)) - 1;
  const double lost = course.period == 1 ? 0 : 1 / course.periods();
  const double limit = kNormalScore * std::sqrt((1 + lost) * rise_variance(course.values));
  // The test for dependent values is slower, and never more significant than that for independent ones.
  if (beyond_continuity <= 0 || beyond_continuity <= limit) return false;
  const double factor = variance_factor(course.count(), neighbour_autocorrelation(course));
  return beyond_continuity > limit * std::sqrt(factor) * estimation_factor(course, factor);
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
  summary.min = std::ranges::min(values);
  summary.max = std::ranges::max(values);
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

void clip_spikes(std::vector<double>& values, double reach) {
  if (values.empty()) return;
  const double median = compute_median(values);
  const double most = reach * deviation_from(values, median) / kMadOfNormal;
  if (most == 0) return;
  for (double& value : values) value = std::clamp(value, median - most, median + most);
}

bool is_autocorrelated(std::span<const double> values) {
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

double student_p_value(double t, double freedom) {
  // Continued fraction of the incomplete beta function by Lentz's method; converges fast for x below the
  // mean.
  const auto incomplete_beta = [](double x, double a, double b) {
    constexpr double kTiny = 1e-300;
    constexpr double kEnough = 1e-15;
    constexpr int kMostSteps = 10'000;
    const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) +
                                  b * std::log1p(-x)) /
                         a;
    double c = 1;
    double d = 1 / std::max(kTiny, 1 - (a + b) * x / (a + 1));
    double fraction = d;
    for (int step = 1; step < kMostSteps; ++step) {
      const double m = step;
      const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
      for (const double term : {even, odd}) {
        d = 1 / (1 + term * d);
        c = 1 + term / c;
        fraction *= c * d;
      }
      if (std::abs(c * d - 1) < kEnough) break;
    }
    return front * fraction;
  };
  if (t == 0) return 1;
  const double x = freedom / (freedom + t * t);
  const double a = freedom / 2;
  return x < (a + 1) / (a + 2.5) ? incomplete_beta(x, a, 0.5) : 1 - incomplete_beta(1 - x, 0.5, a);
}

double student_quantile(double freedom) {
  constexpr double kLevel = 0.05;
  double low = 1;
  double high = 1e3;  // Above the quantile for one degree of freedom, 12.7.
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (student_p_value(middle, freedom) > kLevel ? low : high) = middle;
  }
  return low;
}

double student_factor(double freedom) {
  constexpr double z2 = kNormalScore * kNormalScore;
  const double first = (z2 + 1) / 4;
  const double second = ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return 1 + (first + (second + third / freedom) / freedom) / freedom;
}

Trend compute_trend(std::span<const double> values, std::size_t period) {
  const Course course = make_course(values, period);
  if (course.values.empty()) return {};
  const double median = compute_median(course.values);
  return {median == 0 ? 0 : compute_slope(course) / median, has_significant_trend(course)};
}

bool is_level(std::span<const double> values, std::size_t period) {
  if (values.size() < kLeastForTrend) return false;
  // The test is much faster than the slope, so it runs first.
  if (!has_significant_trend(make_course(values, period))) return true;
  return std::abs(compute_trend(values, period).slope) * static_cast<double>(values.size() - 1) <
         kNegligibleChange;
}

}  // namespace gpubench
