#include "gpubench/core/stats/estimate.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gpubench {
namespace {

/// Squares of how far a sum of logarithms may lie below and above.
struct LogSum {
  double below_squared = 0;
  double above_squared = 0;
};

double squared(double x) { return x * x; }

void add(LogSum& sum, const Estimate& figure) {
  const Interval& interval = figure.interval.value();
  sum.below_squared += squared(std::log(figure.value / interval.low));
  sum.above_squared += squared(std::log(interval.high / figure.value));
}

void subtract(LogSum& sum, const Estimate& figure) {
  const Interval& interval = figure.interval.value();
  sum.below_squared += squared(std::log(interval.high / figure.value));
  sum.above_squared += squared(std::log(figure.value / interval.low));
}

Interval interval_of(double value, const LogSum& sum, double count) {
  return {value * std::exp(-std::sqrt(sum.below_squared) / count),
          value * std::exp(std::sqrt(sum.above_squared) / count)};
}

/// Why no interval follows from that of `figure`; empty where one does.
std::string obstacle(const Estimate& figure) {
  if (!figure.interval.has_value()) return figure.interval.reason();
  return figure.interval.value().low > 0 ? "" : "the interval of a figure reaches down to 0";
}

}  // namespace

Estimate ratio_of(const Estimate& numerator, const Estimate& denominator) {
  const double value = numerator.value / denominator.value;
  for (const Estimate* figure : {&numerator, &denominator}) {
    if (const std::string why = obstacle(*figure); !why.empty()) return {value, absent(why)};
  }
  LogSum sum;
  add(sum, numerator);
  subtract(sum, denominator);
  return {value, interval_of(value, sum, 1)};
}

Estimate geometric_mean_of(std::span<const Estimate> figures) {
  if (figures.empty()) throw std::invalid_argument("no geometric mean of nothing");
  const double count = static_cast<double>(figures.size());
  double logarithms = 0;
  for (const Estimate& figure : figures) logarithms += std::log(figure.value);
  const double value = std::exp(logarithms / count);
  LogSum sum;
  for (const Estimate& figure : figures) {
    if (const std::string why = obstacle(figure); !why.empty()) return {value, absent(why)};
    add(sum, figure);
  }
  return {value, interval_of(value, sum, count)};
}

Average average_of(std::span<const Estimate> figures) {
  Average average{figures.size(), 0, 0, 0, geometric_mean_of(figures)};
  average.least = average.greatest = figures.front().value;
  for (const Estimate& figure : figures) {
    average.arithmetic_mean += figure.value / static_cast<double>(figures.size());
    average.least = std::min(average.least, figure.value);
    average.greatest = std::max(average.greatest, figure.value);
  }
  return average;
}

}  // namespace gpubench
