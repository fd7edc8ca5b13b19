#include "gpubench/core/stats/estimate.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gpubench {
namespace {

/// Returns why no interval follows from that of `figure`; empty if one does.
std::string obstacle(const Estimate& figure) {
  if (!figure.interval.has_value()) return figure.interval.reason();
  return figure.interval.value().low > 0 ? "" : "the interval of a figure reaches down to 0";
}

}  // namespace

Estimate compute_geometric_mean(std::span<const Estimate> figures) {
  if (figures.empty()) throw std::invalid_argument("no geometric mean of nothing");
  const double count = static_cast<double>(figures.size());
  double logarithms = 0;
  for (const Estimate& figure : figures) logarithms += std::log(figure.value);
  const double value = std::exp(logarithms / count);
  double below = 0;
  double above = 0;
  for (const Estimate& figure : figures) {
    if (const std::string why = obstacle(figure); !why.empty()) return {value, missing(why)};
    below += std::log(figure.value / figure.interval.value().low);
    above += std::log(figure.interval.value().high / figure.value);
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
