#pragma once
// Intervals of the median by resampling. Deterministic: the same values give the same interval everywhere.

#include <span>

#include "gpubench/core/reading.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {

/// An interval of the median of values measured one after the other, in that order: of at least 95 % where
/// they are independent, of about that where neighbours resemble each other as on a shared machine.
/// Percentiles of a moving-block bootstrap, widened for few values and for their autocorrelation; see
/// bootstrap.cpp. Absent for fewer than 3 values. Takes a tenth of a millisecond for 50 of them, and some for
/// 100,000: of more than 2,000 the normal law is taken to which the bootstrap tends.
Reading<Interval> median_interval(std::span<const double> values);

/// The same for values that do not depend on each other, such as the medians of fresh processes: narrower, of
/// 95 % from four values on, of 91 % for three.
Reading<Interval> median_interval_of_independent(std::span<const double> values);

}  // namespace gpubench
