#pragma once
// Power traces from lists of readings.

#include <utility>
#include <vector>

#include "power/log/power_log.h"

namespace gpubench::test {

/// Returns a replayed trace with the given seconds and watts.
inline PowerTrace trace_of_watts(const std::vector<std::pair<double, double>>& readings) {
  PowerTrace trace;
  trace.facts.is_replayed = true;
  for (const auto& [seconds, watts] : readings) {
    PowerReading reading;
    reading.power = Watts{watts};
    trace.samples.push_back({{seconds}, reading});
  }
  return trace;
}

}  // namespace gpubench::test
