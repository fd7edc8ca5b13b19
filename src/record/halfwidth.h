#pragma once
// How well a median is known, as one number.

#include "gpubench/core/bootstrap.h"

namespace gpubench {

/// Half the interval as a part of the median.
inline Reading<double> halfwidth(const Reading<Interval>& interval, double median) {
  if (!interval.has_value()) return absent(interval.reason());
  if (median <= 0) return absent("an epoch took no measurable time");
  return (interval.value().high - interval.value().low) / 2 / median;
}

}  // namespace gpubench
