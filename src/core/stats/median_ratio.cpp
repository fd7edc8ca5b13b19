#include "gpubench/core/stats/median_ratio.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/stats/resampling.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/stats/student.h"

namespace gpubench {
namespace {

constexpr std::size_t kFewest = 3;

Interval percentile_interval(const Ranked& numerators, const Ranked& denominators) {
  Draws draws;
  Counts above(numerators.sorted.size());
  Counts below(denominators.sorted.size());
  std::vector<double> ratios(kResamples);
  for (double& ratio : ratios) {
    ratio = resampled_median(numerators, 1, draws, above);
    ratio /= resampled_median(denominators, 1, draws, below);
  }
  return middle_of(std::move(ratios));
}

}  // namespace

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
