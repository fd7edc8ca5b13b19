#pragma once
// What Linux tells of the machine and its state, out of files that a test can write; and the cgroup whose
// limits hold for this process.

#include <string>
#include <vector>

#include "device/host/host.h"
#include "gpubench/core/io/outside_file.h"

namespace gpubench {

/// The processor's model, of which Arm's kernels tell numbers alone; of kinds of cores that differ each:
/// "Arm Cortex-X925 + Arm Cortex-A725". "unknown" where nothing is told.
std::string read_cpu_name(const HostFiles& files);

/// Of all sockets, hyperthreads left out.
Measured<std::int64_t> read_physical_cores(const HostFiles& files);

/// The state but for what comes from clocks: `at` and `asleep`.
HostState collect_host_state(const HostFiles& files);

Measured<Bytes> read_available_memory(const HostFiles& files);

Measured<Bytes> read_last_level_cache(const HostFiles& files);

/// A cgroup as a controller sees it.
struct ControlGroup {
  bool is_v2 = true;

  /// The group's folder and those above it, the mount last: a limit in any of them counts. In a container
  /// the group's own may be missing: its path is that outside, while the mount is what the container sees.
  std::vector<std::string> folders;
};

/// That of this process for "memory" or "cpu". A process may be in both kinds of hierarchy; version 1's has
/// the controller wherever it names it.
ControlGroup control_group(const HostFiles& files, const std::string& controller);

/// Cores that the CPU quotas leave, the least of them; absent where there is none.
Measured<double> read_quota_cores(const HostFiles& files);

/// Sets `quota_stops` and `quota_stopped`: sums over the process's cgroup and those above it.
void read_quota_stops(const HostFiles& files, HostState& state);

/// The limits of a process with these logical cores in its affinity mask.
CoreLimits read_core_limits(const HostFiles& files, const std::vector<int>& logical);

}  // namespace gpubench
