#include <algorithm>

#include "device/host/linux_state.h"

namespace gpubench {
namespace {

/// The cgroup that limits this process's memory.
struct MemoryGroup {
  bool is_v2 = true;
  std::string path;  ///< Below the mount: "/user.slice/session-1.scope"; empty for the root.

  std::string mount() const { return is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"; }
};

bool has_controller(const std::string& controllers, const std::string& wanted) {
  return ("," + controllers + ",").find("," + wanted + ",") != std::string::npos;
}

/// A process may be in both kinds of hierarchy; version 1's has the memory controller wherever it names it.
MemoryGroup memory_group(const HostFiles& files) {
  MemoryGroup group;
  for (const std::string& line : files.lines("/proc/self/cgroup")) {  // "0::/a/b" or "4:memory:/a/b"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_v1 = has_controller(controllers, "memory");
    if (is_v1 || (controllers.empty() && group.is_v2)) group = {!is_v1, line.substr(second + 1)};
  }
  if (group.path == "/") group.path.clear();
  return group;
}

/// The group's folder and those above it, the mount last. In a container the group's own may be missing: its
/// path is that outside, while the mount is what the container may see.
std::vector<std::string> folders_of(const MemoryGroup& group) {
  std::vector<std::string> folders;
  for (std::string path = group.path; path.starts_with('/'); path.erase(path.rfind('/'))) {
    folders.push_back(group.mount() + path);
  }
  folders.push_back(group.mount());
  return folders;
}

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
  const MemoryGroup group = memory_group(files);
  for (const std::string& folder : folders_of(group)) {
    const auto left = left_in(files, folder, group.is_v2);
    if (left.has_value() && (!least.has_value() || left.value() < least.value().value)) {
      least = Bytes{left.value()};
    }
  }
  return least;
}

Reading<std::int64_t> out_of_memory_kills_of(const HostFiles& files) {
  const MemoryGroup group = memory_group(files);
  const std::string file = group.is_v2 ? "/memory.events" : "/memory.oom_control";
  for (const std::string& folder : folders_of(group)) {
    const auto kills = files.number_of(folder + file, "oom_kill ");
    if (kills.has_value()) return kills;
  }
  return files.number_of("/proc/vmstat", "oom_kill ");
}

Reading<Bytes> available_memory() { return available_memory_of(HostFiles()); }

}  // namespace gpubench
