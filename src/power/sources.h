#pragma once
// Sources of each meter, with the place to search as an argument: tests pass machines that consist of files,
// libraries and commands. `why_not` is set where something is missing, and says what helps.

#include <string>

#include "gpubench/core/io/outside_file.h"
#include "gpubench/power_meter.h"

namespace gpubench {

namespace rapl_plugin {
/// Finds processor packages and memory modules that count their energy (powercap).
PowerSources rapl_sources(const HostFiles& files, std::string& why_not);
}  // namespace rapl_plugin

namespace amd_plugin {
/// Finds graphics processors of AMD (hwmon).
PowerSources amd_sources(const HostFiles& files, std::string& why_not);
}  // namespace amd_plugin

namespace battery_plugin {
/// Finds batteries that discharge.
PowerSources battery_sources(const HostFiles& files, std::string& why_not);
}  // namespace battery_plugin

namespace nvml_plugin {
/// Finds NVIDIA's GPUs that report energy or power.
PowerSources nvml_sources(const std::string& library_path, std::string& why_not);

/// Formats the reasons for lowered clocks of such a GPU: "power cap, heat". Empty for none, and for a GPU
/// without work.
std::string throttle_words(std::uint64_t clock_reasons);
}  // namespace nvml_plugin

namespace powermetrics_plugin {
/// Starts `command`, which prints as powermetrics does, waits up to `timeout` for its first block and makes
/// a source of each rail in it. The command is ended with the last source.
PowerSources powermetrics_sources(const std::string& command, Seconds timeout, std::string& why_not);
}  // namespace powermetrics_plugin

/// Scales a number to a quantity; missing for the same reason.
template <class Unit, class Number>
Measured<Unit> scaled(const Measured<Number>& number, double scale) {
  return number.then([&](Number count) { return Unit{static_cast<double>(count) * scale}; });
}

}  // namespace gpubench
