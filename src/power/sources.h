#pragma once
// Parts of meters that several of them, or tests, use.

#include <string>

#include "gpubench/power_meter.h"

namespace gpubench {

namespace nvml_plugin {
/// Finds NVIDIA's GPUs that report energy or power; `why_not` names what is missing and the remedy.
PowerSources nvml_sources(const std::string& library_path, std::string& why_not);
}  // namespace nvml_plugin

template <class Unit, class Number>
Measured<Unit> scaled(const Measured<Number>& number, double scale) {
  return number.then([&](Number count) { return Unit{static_cast<double>(count) * scale}; });
}

}  // namespace gpubench
