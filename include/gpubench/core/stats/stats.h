#pragma once
// Statistics of repeated measurements. The only place where they are computed.

#include <cstddef>
#include <span>
#include <vector>

#include "gpubench/core/reading.h"

namespace gpubench {

/// From `low` to `high`, in the unit of the sample.
struct Interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Summary of a sample, in the unit of the sample.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;       ///< Mean of the two middle values where the count is even.
  Reading<double> stddev;  ///< Sample standard deviation (n - 1); absent for a single value.
  double mad = 0;          ///< Median absolute deviation from the median, unscaled; 0 for a single value.
  double min = 0;
  double max = 0;
};

/// Summarises `values`, in any order. Throws std::invalid_argument for an empty span: there is no mean of
/// nothing.
Summary summarize(std::span<const double> values);

/// The median of `values`, in any order. Throws std::invalid_argument for an empty span.
double median_of(std::span<const double> values);

/// Positions of the values whose modified z-score, 0.6745 (x - median) / MAD, is beyond 3.5 (Iglewicz and
/// Hoaglin, How to Detect and Handle Outliers, 1993). None where the MAD is 0: more than half of the values
/// are then equal, as on a coarse clock, and any other one would be infinitely far away.
std::vector<std::size_t> outliers(std::span<const double> values);

}  // namespace gpubench
