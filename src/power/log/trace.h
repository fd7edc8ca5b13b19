#pragma once
// What a source of power showed over time.

#include <vector>

#include "gpubench/power_meter.h"

namespace gpubench {

/// A stretch of time on the clock of the samples.
struct TimeSpan {
  Seconds begin;
  Seconds end;

  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

inline Seconds compute_length(const TimeSpan& span) { return span.end - span.begin; }

/// A reading and when it was made: the middle of the call that read it.
struct PowerSample {
  Seconds time;
  PowerReading reading;
};

/// The samples of one source, in the order of time.
struct PowerTrace {
  PowerSourceFacts facts;
  std::vector<PowerSample> samples;
};

}  // namespace gpubench
