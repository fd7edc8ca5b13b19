#include <algorithm>
#include <cctype>
#include <map>
#include <string>

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

/// Sizes by the list of CPUs that share a cache, which tells one cache from another.
struct Level {
  std::int64_t number = 0;
  std::map<std::string, std::int64_t> sizes;
};

bool is_core(const std::string& path) { return std::isdigit(static_cast<unsigned char>(path.back())) != 0; }

/// "32768K": the kernel tells no other unit.
Reading<std::int64_t> size_of(const HostFiles& files, const std::string& cache) {
  const auto kibibytes = files.number(cache + "/size");
  if (!kibibytes.has_value()) return kibibytes;
  return kibibytes.value() * 1024;
}

void add_cache(const HostFiles& files, const std::string& cache, Level& last) {
  const auto number = files.number(cache + "/level");
  const auto size = size_of(files, cache);
  const auto cores = files.line(cache + "/shared_cpu_list");
  if (!number.has_value() || !size.has_value() || !cores.has_value()) return;
  if (number.value() < last.number) return;
  if (number.value() > last.number) last = {number.value(), {}};
  last.sizes[cores.value()] = size.value();
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

Reading<Bytes> last_level_cache_of(const HostFiles& files) {
  Level last;
  for (const std::string& core : files.entries("/sys/devices/system/cpu", "cpu")) {
    if (!is_core(core)) continue;
    for (const std::string& cache : files.entries(core + "/cache", "index")) add_cache(files, cache, last);
  }
  if (last.sizes.empty()) return absent("no cache in /sys/devices/system/cpu");
  Bytes all{};
  for (const auto& [cores, size] : last.sizes) all = all + Bytes{size};
  return all;
}

Reading<Bytes> last_level_cache() { return last_level_cache_of(HostFiles()); }

}  // namespace gpubench
