#pragma once
// Sources of each meter by the place to search, for tests. `why_not` names what is missing and the remedy.

#include <string>

#include "gpubench/power_meter.h"

namespace gpubench {

namespace nvml_plugin {
/// Finds NVIDIA's GPUs that report energy or power.
PowerSources nvml_sources(const std::string& library_path, std::string& why_not);
}  // namespace nvml_plugin

namespace powermetrics_plugin {
/// Starts `command`, waits up to `timeout` for its first block, and ends it with the last source.
PowerSources powermetrics_sources(const std::string& command, Seconds timeout, std::string& why_not);
}  // namespace powermetrics_plugin

/// Scales a number to a quantity; missing for the same reason.
template <class Unit, class Number>
Measured<Unit> scaled(const Measured<Number>& number, double scale) {
  return number.then([&](Number count) { return Unit{static_cast<double>(count) * scale}; });
}

}  // namespace gpubench
