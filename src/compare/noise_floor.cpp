#include "compare/noise_floor.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

/// Of the median of `count` normal values of variance 1.
double variance_of_median(std::int64_t count) {
  const double even = count % 2 == 0 ? 1 : 0;
  return std::numbers::pi / (2 * static_cast<double>(count) + std::numbers::pi - 2 + even);
}

}  // namespace

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
  const double quantile = kNormalScore * student_factor(static_cast<double>(logarithms.size() - 1));
  const double difference = quantile * scatter * std::sqrt(2 * variance_of_median(repetitions));
  return NoiseFloor{std::expm1(difference), scatter};
}

Estimate widened_to(const NoiseFloor& floor, const Estimate& estimate) {
  const double factor = 1 + floor.relative;
  const Interval least{estimate.value / factor, estimate.value * factor};
  if (!estimate.interval.has_value()) return {estimate.value, least};
  const Interval& own = estimate.interval.value();
  return {estimate.value, Interval{std::min(own.low, least.low), std::max(own.high, least.high)}};
}

}  // namespace gpubench
