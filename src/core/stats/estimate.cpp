#include "gpubench/core/stats/estimate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace gpubench {
namespace {

/// Squares of how far a logarithm may lie below and above.
struct LogArms {
  double below_squared = 0;
  double above_squared = 0;

  friend LogArms operator+(const LogArms& a, const LogArms& b) {
    return {a.below_squared + b.below_squared, a.above_squared + b.above_squared};
  }
};

double squared(double x) { return x * x; }

LogArms arms_of(const Estimate& figure) {
  const Interval& interval = figure.interval.value();
  return {squared(std::log(figure.value / interval.low)), squared(std::log(interval.high / figure.value))};
}

Interval interval_of(double value, const LogArms& sum) {
  return {value * std::exp(-std::sqrt(sum.below_squared)), value * std::exp(std::sqrt(sum.above_squared))};
}

/// Why no interval follows from that of `figure`; empty where one does.
std::string obstacle(const Estimate& figure) {
  if (!figure.interval.has_value()) return figure.interval.reason();
  return figure.interval.value().low > 0 ? "" : "the interval of a figure reaches down to 0";
}

}  // namespace

double variance_of_median(std::int64_t count) {
  const double even = count % 2 == 0 ? 1 : 0;
  return std::numbers::pi / (2 * static_cast<double>(count) + std::numbers::pi - 2 + even);
}

Estimate ratio_of(const Estimate& numerator, const Estimate& denominator) {
  const double value = numerator.value / denominator.value;
  for (const Estimate* figure : {&numerator, &denominator}) {
    if (const std::string why = obstacle(*figure); !why.empty()) return {value, absent(why)};
  }
  const LogArms down = arms_of(denominator);
  return {value, interval_of(value, arms_of(numerator) + LogArms{down.above_squared, down.below_squared})};
}

Reading<Estimate> fieller_ratio(const FigurePair& pair) {
  const auto& [above, below, above_square, below_square, covariance] = pair;
  const double square = squared(below) - below_square;
  if (!(square > 0)) return absent("what it is divided by may be 0");
  const double middle = above * below - covariance;
  const double root = std::sqrt(std::max(0.0, squared(middle) - square * (squared(above) - above_square)));
  return Estimate{above / below, Interval{(middle - root) / square, (middle + root) / square}};
}

Estimate geometric_mean_of(std::span<const Estimate> figures) {
  if (figures.empty()) throw std::invalid_argument("no geometric mean of nothing");
  const double count = static_cast<double>(figures.size());
  double logarithms = 0;
  for (const Estimate& figure : figures) logarithms += std::log(figure.value);
  const double value = std::exp(logarithms / count);
  double below = 0;
  double above = 0;
  for (const Estimate& figure : figures) {
    if (const std::string why = obstacle(figure); !why.empty()) return {value, absent(why)};
    below += std::log(figure.value / figure.interval.value().low);
    above += std::log(figure.interval.value().high / figure.value);
  }
  return {value, Interval{value * std::exp(-below / count), value * std::exp(above / count)}};
}

Average average_of(std::span<const Estimate> figures) {
  Average average{figures.size(), 0, 0, 0, geometric_mean_of(figures)};
  average.least = std::ranges::min(figures, {}, &Estimate::value).value;
  average.greatest = std::ranges::max(figures, {}, &Estimate::value).value;
  for (const Estimate& figure : figures) {
    average.arithmetic_mean += figure.value / static_cast<double>(figures.size());
  }
  return average;
}

Reading<NoiseFloor> noise_floor(std::span<const double> process_seconds, std::int64_t repetitions) {
  if (repetitions < 1) throw std::invalid_argument("a comparison has at least one process a side");
  if (process_seconds.size() < kLeastProcessesForFloor) {
    return absent("a noise floor needs at least {} processes", kLeastProcessesForFloor);
  }
  std::vector<double> logarithms;
  for (const double seconds : process_seconds) {
    if (!(seconds > 0)) return absent("a process took no measurable time");
    logarithms.push_back(std::log(seconds));
  }
  const double scatter = summarize(logarithms).stddev.value();
  const double deviation = scatter * std::sqrt(variance_of_median(repetitions));
  const double one_side =
      kNormalScore * student_factor(static_cast<double>(logarithms.size() - 1)) * deviation;
  return NoiseFloor{std::expm1(std::sqrt(2.0) * one_side), scatter, std::expm1(one_side)};
}

Estimate widened_to(double floor, const Estimate& estimate) {
  if (!estimate.interval.has_value()) return estimate;
  const double factor = 1 + floor;
  const Interval least{estimate.value / factor, estimate.value * factor};
  const Interval& own = estimate.interval.value();
  return {estimate.value, Interval{std::min(own.low, least.low), std::max(own.high, least.high)}};
}

}  // namespace gpubench
