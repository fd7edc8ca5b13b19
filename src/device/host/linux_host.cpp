#include "device/host/linux_host.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace gpubench {
namespace {

/// The text after `key` without what separates and encloses it; empty where there is none.
std::string value_of(const std::string& path, const std::string& key) {
  const Reading<std::string> rest = HostFiles().line_of(path, key);
  const std::string text = rest.has_value() ? rest.value() : "";
  const std::size_t first = text.find_first_not_of(":=\" \t");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of("\" \t") - first + 1);
}

std::string or_unknown(std::string text) { return text.empty() ? "unknown" : text; }

std::string cpu_name() {
  // Arm kernels give no model name; the implementer's number is at least something to compare.
  const std::string name = value_of("/proc/cpuinfo", "model name");
  return name.empty() ? or_unknown(value_of("/proc/cpuinfo", "CPU implementer")) : name;
}

Reading<std::int64_t> physical_cores() {
  std::set<std::pair<std::string, std::string>> cores;
  std::string package;
  for (const std::string& line : HostFiles().lines("/proc/cpuinfo")) {
    if (line.starts_with("physical id")) package = line;
    if (line.starts_with("core id")) cores.emplace(package, line);
  }
  if (cores.empty()) return absent("/proc/cpuinfo has no core ids");
  return static_cast<std::int64_t>(cores.size());
}

Reading<Bytes> memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return absent("the kernel does not tell the size of the memory");
  return Bytes{static_cast<std::int64_t>(pages) * page_size};
}

bool has_controller(const std::string& controllers, const std::string& wanted) {
  return ("," + controllers + ",").find("," + wanted + ",") != std::string::npos;
}

/// Of version 2: "max 100000" where there is no limit, else quota and period in microseconds.
Reading<double> quota_v2(const HostFiles& files, const std::string& folder) {
  const auto line = files.line(folder + "/cpu.max");
  std::istringstream text(line.has_value() ? line.value() : "");
  double quota = 0;
  double period = 0;
  if (text >> quota >> period && quota > 0 && period > 0) return quota / period;
  return absent("no CPU quota in " + folder);
}

/// Of version 1: a file for each; the quota is -1 where there is no limit.
Reading<double> quota_v1(const HostFiles& files, const std::string& folder) {
  const auto quota = files.number(folder + "/cpu.cfs_quota_us");
  const auto period = files.number(folder + "/cpu.cfs_period_us");
  const bool is_known = quota.has_value() && period.has_value();
  if (!is_known || quota.value() <= 0 || period.value() <= 0) return absent("no CPU quota in " + folder);
  return static_cast<double>(quota.value()) / static_cast<double>(period.value());
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

/// Sizes by the list of CPUs that share a cache, which tells one cache from another.
struct Level {
  std::int64_t number = 0;
  std::map<std::string, std::int64_t> sizes;
};

bool is_core(const std::string& path) { return std::isdigit(static_cast<unsigned char>(path.back())) != 0; }

/// "32768K": the kernel tells no other unit.
Reading<std::int64_t> size_of(const HostFiles& files, const std::string& cache) {
  return files.number(cache + "/size").then([](std::int64_t kibibytes) { return kibibytes * 1024; });
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

HostFacts read_host() {
  return {host_name(),      or_unknown(value_of("/etc/os-release", "PRETTY_NAME")),
          kernel_name(),    cpu_name(),
          physical_cores(), memory()};
}

int affinity_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

ControlGroup control_group(const HostFiles& files, const std::string& controller) {
  ControlGroup group;
  std::string path;
  for (const std::string& line : files.lines("/proc/self/cgroup")) {  // "0::/a/b" or "4:memory:/a/b"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_v1 = has_controller(controllers, controller);
    if (!is_v1 && !(controllers.empty() && group.is_v2)) continue;
    group.is_v2 = !is_v1;
    path = line.substr(second + 1);
  }
  if (path == "/") path.clear();
  const std::string mount = group.is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
  for (; path.starts_with('/'); path.erase(path.rfind('/'))) group.folders.push_back(mount + path);
  group.folders.push_back(mount);
  return group;
}

Reading<double> quota_cores_of(const HostFiles& files) {
  const ControlGroup group = control_group(files, "cpu");
  Reading<double> least = absent("no CPU quota");
  for (const std::string& folder : group.folders) {
    const auto quota = group.is_v2 ? quota_v2(files, folder) : quota_v1(files, folder);
    if (quota.has_value() && (!least.has_value() || quota.value() < least.value())) least = quota;
  }
  return least;
}

Reading<double> quota_cores() { return quota_cores_of(HostFiles()); }

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
