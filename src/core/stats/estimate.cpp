#include "gpubench/core/stats/estimate.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gpubench {

Estimate compute_geometric_mean(std::span<const Estimate> figures) {
  if (figures.empty()) throw std::invalid_argument("no geometric mean of nothing");
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

Average compute_average(std::span<const Estimate> figures) {
  Average average{figures.size(), 0, 0, 0, compute_geometric_mean(figures)};
  average.least = std::ranges::min(figures, {}, &Estimate::value).value;
  average.greatest = std::ranges::max(figures, {}, &Estimate::value).value;
  for (const Estimate& figure : figures) {
    average.arithmetic_mean += figure.value / static_cast<double>(figures.size());
  }
  return average;
}

}  // namespace gpubench
