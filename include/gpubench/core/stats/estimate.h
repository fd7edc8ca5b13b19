#pragma once
// A measured figure with the interval that it is known to.

#include <cstddef>
#include <span>

#include "gpubench/core/reading.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {

/// A figure and its 95 % interval, both in the same unit. Figures are above 0: times, rates, ratios of them.
struct Estimate {
  double value = 0;
  Reading<Interval> interval{};

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// `numerator / denominator` of two figures that were measured independently. The interval combines theirs in
/// logarithms (method of variance estimates recovery; Zou and Donner 2008, doi:10.1002/sim.3095): the
/// distance from the ratio to its end is the root of the summed squares of the distances that push it there.
/// Absent where either is absent, or reaches down to 0.
Estimate ratio_of(const Estimate& numerator, const Estimate& denominator);

/// The geometric mean of figures that were measured independently, with the interval combined likewise.
/// Absent interval where one of theirs is. Throws std::invalid_argument for no figures.
Estimate geometric_mean_of(std::span<const Estimate> figures);

/// Figures summed up.
struct Average {
  std::size_t count = 0;
  double arithmetic_mean = 0;
  double least = 0;
  double greatest = 0;
  Estimate geometric_mean;
};

/// Throws std::invalid_argument for no figures.
Average average_of(std::span<const Estimate> figures);

}  // namespace gpubench
