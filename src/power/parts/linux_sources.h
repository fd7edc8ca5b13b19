#pragma once
// Sources of power in the Linux kernel's files. `why_not` is set where something is missing, and says what
// helps. Tests hand in a machine that consists of files.

#include <memory>
#include <string>
#include <vector>

#include "core/io/host_files.h"
#include "gpubench/power_meter.h"

namespace gpubench {

using PowerSources = std::vector<std::unique_ptr<PowerSource>>;

/// Processor packages and memory modules that count their energy (powercap).
PowerSources rapl_sources(const HostFiles& files, std::string& why_not);

/// Graphics processors of AMD (hwmon).
PowerSources amd_sources(const HostFiles& files, std::string& why_not);

/// Batteries that discharge.
PowerSources battery_sources(const HostFiles& files, std::string& why_not);

/// The number in a file times `scale`, as a quantity; absent with the path.
template <class Unit>
Reading<Unit> scaled_number(const HostFiles& files, const std::string& path, double scale) {
  const Reading<std::int64_t> number = files.number(path);
  if (!number.has_value()) return absent(number.reason());
  return Unit{static_cast<double>(number.value()) * scale};
}

}  // namespace gpubench
