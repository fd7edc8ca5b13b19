#pragma once
// What meters find, with where they look as an argument: tests hand in machines that consist of files,
// libraries and commands. `why_not` is set where something is missing, and says what helps.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpubench/core/io/outside_file.h"
#include "gpubench/power_meter.h"

namespace gpubench {

/// Processor packages and memory modules that count their energy (powercap).
PowerSources rapl_sources(const HostFiles& files, std::string& why_not);

/// Graphics processors of AMD (hwmon).
PowerSources amd_sources(const HostFiles& files, std::string& why_not);

/// Batteries that discharge.
PowerSources battery_sources(const HostFiles& files, std::string& why_not);

/// One for each of NVIDIA's GPUs that tells energy or power.
PowerSources nvml_sources(const std::string& library_path, std::string& why_not);

/// What holds the clocks of such a GPU down, in words: "power cap, heat". Empty for none, and for a GPU
/// without work.
std::string throttle_words(std::uint64_t clock_reasons);

/// What powermetrics prints while it runs: starts `command`, waits for its first block for as long as
/// `patience` and makes a source of each rail in it. The command is ended with the last source.
PowerSources powermetrics_sources(const std::string& command, Seconds patience, std::string& why_not);

/// A number that was read times `scale`, as a quantity; absent for the same reason.
template <class Unit, class Number>
Measured<Unit> scaled(const Measured<Number>& number, double scale) {
  return number.then([&](Number count) { return Unit{static_cast<double>(count) * scale}; });
}

}  // namespace gpubench
