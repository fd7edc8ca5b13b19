#pragma once
// Parts of meters that are shared with other meters or tests.

#include <string>

#include "gpubench/power_meter.h"

namespace gpubench {

namespace nvml_plugin {
/// Returns the GPUs that report energy or power. Without one sets `why_not` to reason and remedy.
PowerSources nvml_sources(const std::string& library_path, std::string& why_not);
}  // namespace nvml_plugin

template <class Unit, class Number>
Measured<Unit> scaled(const Measured<Number>& number, double scale) {
  return number.then([&](Number count) { return Unit{static_cast<double>(count) * scale}; });
}

}  // namespace gpubench
