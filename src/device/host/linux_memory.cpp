#include <algorithm>

#include "device/host/cgroups.h"
#include "device/host/linux_state.h"

namespace gpubench {
namespace {

/// What the limit of one folder leaves; absent where it has none. Cache that was not used of late is given
/// back before anything is killed.
Reading<std::int64_t> left_in(const HostFiles& files, const std::string& folder, bool is_v2) {
  const auto limit = files.number(folder + (is_v2 ? "/memory.max" : "/memory.limit_in_bytes"));
  const auto usage = files.number(folder + (is_v2 ? "/memory.current" : "/memory.usage_in_bytes"));
  if (!limit.has_value() || !usage.has_value()) return absent("no limit in " + folder);
  const auto cache =
      files.number_of(folder + "/memory.stat", is_v2 ? "inactive_file " : "total_inactive_file ");
  const std::int64_t used =
      std::max<std::int64_t>(0, usage.value() - (cache.has_value() ? cache.value() : 0));
  return std::max<std::int64_t>(0, limit.value() - used);
}

}  // namespace

Reading<Bytes> available_memory_of(const HostFiles& files) {
  const auto machine = files.number_of("/proc/meminfo", "MemAvailable:");
  Reading<Bytes> least = absent(machine.reason());
  if (machine.has_value()) least = Bytes{machine.value() * 1024};
  const ControlGroup group = control_group(files, "memory");
  for (const std::string& folder : group.folders) {
    const auto left = left_in(files, folder, group.is_v2);
    if (left.has_value() && (!least.has_value() || left.value() < least.value().value)) {
      least = Bytes{left.value()};
    }
  }
  return least;
}

Reading<std::int64_t> out_of_memory_kills_of(const HostFiles& files) {
  const ControlGroup group = control_group(files, "memory");
  const std::string file = group.is_v2 ? "/memory.events" : "/memory.oom_control";
  for (const std::string& folder : group.folders) {
    const auto kills = files.number_of(folder + file, "oom_kill ");
    if (kills.has_value()) return kills;
  }
  return files.number_of("/proc/vmstat", "oom_kill ");
}

Reading<Bytes> available_memory() { return available_memory_of(HostFiles()); }

}  // namespace gpubench
