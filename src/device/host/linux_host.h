#pragma once
// Linux's facts and state of the machine, from files that a test can write.

#include <string>
#include <vector>

#include "device/host/host.h"
#include "gpubench/core/io/files.h"

namespace gpubench {

/// Returns "Arm Cortex-X925 + Arm Cortex-A725" for mixed cores; "unknown" without a model.
std::string read_cpu_name(const HostFiles& files);

/// Counts all sockets, without hyperthreads.
Measured<std::int64_t> read_physical_cores(const HostFiles& files);

/// Collects the state without the clocks' readings `at` and `asleep`.
HostState collect_host_state(const HostFiles& files);

Measured<Bytes> read_available_memory(const HostFiles& files);

Measured<Bytes> read_last_level_cache(const HostFiles& files);

/// Returns the limits for these logical cores of the affinity mask.
CoreLimits read_core_limits(const HostFiles& files, const std::vector<int>& logical);

}  // namespace gpubench
