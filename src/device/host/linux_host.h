#pragma once
// Linux's facts and state of the machine, from files that a test can write; and this process's cgroup.

#include <string>
#include <vector>

#include "device/host/host.h"
#include "gpubench/core/io/outside_file.h"

namespace gpubench {

/// Returns "Arm Cortex-X925 + Arm Cortex-A725" for mixed cores; "unknown" without a model.
std::string read_cpu_name(const HostFiles& files);

/// Counts all sockets, without hyperthreads.
Measured<std::int64_t> read_physical_cores(const HostFiles& files);

/// Collects the state without the clocks' readings `at` and `asleep`.
HostState collect_host_state(const HostFiles& files);

Measured<Bytes> read_available_memory(const HostFiles& files);

Measured<Bytes> read_last_level_cache(const HostFiles& files);

struct ControlGroup {
  bool is_v2 = true;

  /// The group's folder and those above it, the mount last; a limit in any of them counts. In a container the
  /// group's own may be missing, since its path is that outside.
  std::vector<std::string> folders;
};

/// Finds the group for "memory" or "cpu", in version 1 if that names the controller.
ControlGroup control_group(const HostFiles& files, const std::string& controller);

/// Returns the least of the CPU quotas, in cores; missing without one.
Measured<double> read_quota_cores(const HostFiles& files);

/// Sets `quota_stops` and `quota_stopped`: sums over the process's cgroup and those above it.
void read_quota_stops(const HostFiles& files, HostState& state);

/// Returns the limits for these logical cores of the affinity mask.
CoreLimits read_core_limits(const HostFiles& files, const std::vector<int>& logical);

}  // namespace gpubench
