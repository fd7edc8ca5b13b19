#pragma once
// Statistics of repeated measurements. The only place where they are computed.

#include <cstddef>
#include <span>

#include "gpubench/core/reading.h"

namespace gpubench {

/// Summary of a sample, in the unit of the sample.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;       ///< Mean of the two middle values where the count is even.
  Reading<double> stddev;  ///< Sample standard deviation (n - 1); absent for a single value.
  double min = 0;
  double max = 0;
};

/// Summarises `values`, in any order. Throws std::invalid_argument for an empty span: there is no mean of
/// nothing.
Summary summarize(std::span<const double> values);

}  // namespace gpubench
