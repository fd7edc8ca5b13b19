#pragma once
// A measured figure with the interval that it is known to.

#include <cstddef>
#include <span>

#include "gpubench/core/measured.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {

/// A figure and its 95 % interval, both in the same unit. Figures are above 0: times, rates, ratios of them.
struct Estimate {
  double value = 0;
  Measured<Interval> interval{};

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// The geometric mean of figures that may share what disturbed them: its arms are the means of theirs in
/// logarithms, as where all of them are off by the same, which is the worst case. Missing interval where one
/// of theirs is. Throws std::invalid_argument for no figures.
Estimate compute_geometric_mean(std::span<const Estimate> figures);

/// Figures summed up.
struct Average {
  std::size_t count = 0;
  double arithmetic_mean = 0;
  double least = 0;
  double greatest = 0;
  Estimate geometric_mean;
};

/// Throws std::invalid_argument for no figures.
Average compute_average(std::span<const Estimate> figures);

}  // namespace gpubench
