#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "device/host/host.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

constexpr const char* kCpuFolder = "/sys/devices/system/cpu";

std::vector<int> allowed_cores() {
  cpu_set_t allowed;
  const bool is_known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const int count = is_known ? CPU_SETSIZE : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  std::vector<int> cores;
  for (int core = 0; core < count; ++core) {
    if (!is_known || CPU_ISSET(core, &allowed)) cores.push_back(core);
  }
  return cores;
}

const std::vector<int>& initial_cores() {
  static const std::vector<int> cores = allowed_cores();
  return cores;
}

/// Sets the affinity of the calling thread. Ignores failures.
void allow_cores(const std::vector<int>& cores) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int core : cores) CPU_SET(core, &mask);
  sched_setaffinity(0, sizeof mask, &mask);
}

template <class T>
void keep_smaller(Measured<T>& least, T other) {
  if (!least.has_value() || other < least.value()) least = other;
}

Bytes from_kibibytes(std::int64_t count) { return {count * 1024}; }

/// Returns the name of an Arm core such as "Arm Neoverse-V2", like util-linux's lscpu.
std::string arm_name(const std::string& implementer, const std::string& part) {
  static const std::map<std::string, std::string> parts = {
      {"0x41 0xd03", "Arm Cortex-A53"},         {"0x41 0xd05", "Arm Cortex-A55"},
      {"0x41 0xd07", "Arm Cortex-A57"},         {"0x41 0xd08", "Arm Cortex-A72"},
      {"0x41 0xd0b", "Arm Cortex-A76"},         {"0x41 0xd0c", "Arm Neoverse-N1"},
      {"0x41 0xd40", "Arm Neoverse-V1"},        {"0x41 0xd41", "Arm Cortex-A78"},
      {"0x41 0xd42", "Arm Cortex-A78AE"},       {"0x41 0xd49", "Arm Neoverse-N2"},
      {"0x41 0xd4f", "Arm Neoverse-V2"},        {"0x41 0xd84", "Arm Neoverse-V3"},
      {"0x41 0xd85", "Arm Cortex-X925"},        {"0x41 0xd87", "Arm Cortex-A725"},
      {"0x41 0xd8e", "Arm Neoverse-N3"},        {"0x46 0x001", "Fujitsu A64FX"},
      {"0x48 0xd01", "HiSilicon TaiShan-v110"}, {"0x4e 0x004", "NVIDIA Carmel"},
      {"0x51 0x001", "Qualcomm Oryon"},         {"0x6d 0xd49", "Microsoft Azure Cobalt 100"},
      {"0xc0 0xac3", "Ampere Ampere-1"},        {"0xc0 0xac4", "Ampere Ampere-1a"}};
  const auto known = parts.find(implementer + " " + part);
  return known != parts.end() ? known->second : "Arm implementer " + implementer + " part " + part;
}

/// Returns the value of `key` in a line of /proc/cpuinfo; empty for other keys.
std::string find_in_line(const std::string& line, std::string_view key) {
  const std::size_t colon = line.find(": ");
  if (!line.starts_with(key) || colon == std::string::npos) return {};
  return line.substr(colon + 2, line.find_last_not_of(' ') - colon - 1);
}

struct ControlGroup {
  bool is_v2 = true;

  /// Folders of the group and its ancestors up to the mount. A limit in any of them applies. In a container
  /// the group's folder may be missing, because its path is the one on the host.
  std::vector<std::string> folders;
};

/// Finds the cgroup for the controller "memory" or "cpu": in version 1 if listed there, else in version 2.
ControlGroup control_group(const HostFiles& files, const std::string& controller) {
  ControlGroup group;
  std::string path;
  for (const std::string& line : files.lines("/proc/self/cgroup")) {  // "0::/a/b" or "4:memory:/a/b"
    std::istringstream fields(line);
    std::string number, controllers, folder;
    if (!std::getline(std::getline(std::getline(fields, number, ':'), controllers, ':'), folder)) continue;
    const bool is_v1 = ("," + controllers + ",").find("," + controller + ",") != std::string::npos;
    if (!is_v1 && !(controllers.empty() && group.is_v2)) continue;
    group.is_v2 = !is_v1;
    path = folder;
  }
  if (path == "/") path.clear();
  const std::string mount = group.is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
  for (; path.starts_with('/'); path.erase(path.rfind('/'))) group.folders.push_back(mount + path);
  group.folders.push_back(mount);
  return group;
}

/// Returns the smallest CPU quota in cores; missing if unlimited.
Measured<double> read_quota_cores(const HostFiles& files) {
  const ControlGroup group = control_group(files, "cpu");
  Measured<double> least = missing("no CPU quota");
  for (const std::string& folder : group.folders) {
    // Version 2: "max 100000" (unlimited), or quota and period in µs. Version 1: two files, -1 if unlimited.
    const auto read = [&](const char* file) { return files.line(folder + file).value_or("") + " "; };
    std::istringstream text(group.is_v2 ? read("/cpu.max")
                                        : read("/cpu.cfs_quota_us") + read("/cpu.cfs_period_us"));
    double quota = 0;
    double period = 0;
    if (text >> quota >> period && quota > 0 && period > 0) keep_smaller(least, quota / period);
  }
  return least;
}

/// Sums the counters of the process's cgroup and its ancestors.
void read_quota_stops(const HostFiles& files, HostState& state) {
  const ControlGroup group = control_group(files, "cpu");
  for (const std::string& folder : group.folders) {
    const std::string file = folder + "/cpu.stat";
    const auto count = files.number(file, "nr_throttled ");
    const auto time = files.number(file, group.is_v2 ? "throttled_usec " : "throttled_time ");
    if (!count.has_value() || !time.has_value()) continue;
    const Seconds stopped{static_cast<double>(time.value()) * (group.is_v2 ? 1e-6 : 1e-9)};
    state.quota_stops = state.quota_stops.value_or(0) + count.value();
    state.quota_stopped = state.quota_stopped.value_or({}) + stopped;
  }
}

Measured<std::int64_t> read_out_of_memory_kills(const HostFiles& files) {
  const ControlGroup group = control_group(files, "memory");
  const std::string file = group.is_v2 ? "/memory.events" : "/memory.oom_control";
  for (const std::string& folder : group.folders) {
    const auto kills = files.number(folder + file, "oom_kill ");
    if (kills.has_value()) return kills;
  }
  return files.number("/proc/vmstat", "oom_kill ");
}

void read_cpu_times(const HostFiles& files, HostState& state) {
  std::istringstream columns(files.line("/proc/stat", "cpu ").value_or(""));
  // Columns in the order of proc(5).
  std::int64_t user = 0, nice = 0, system = 0, idle = 0, io_wait = 0, irq = 0, soft_irq = 0, steal = 0;
  if (!(columns >> user >> nice >> system >> idle >> io_wait >> irq >> soft_irq >> steal)) return;
  const auto to_seconds = [](std::int64_t ticks) {
    return Seconds{static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK))};
  };
  state.busy = to_seconds(user + nice + system + irq + soft_irq);
  state.stolen = to_seconds(steal);
  for (const std::string& line : files.lines("/proc/stat")) {
    if (line.starts_with("cpu") && !line.starts_with("cpu ")) ++state.cores;
  }
}

void read_throttle_events(const HostFiles& files, HostState& state) {
  for (const std::string& cpu : files.entries(kCpuFolder, "cpu")) {
    for (const char* const file : {"core_throttle_count", "package_throttle_count"}) {
      const auto count = files.number(cpu + "/thermal_throttle/" + file);
      if (count.has_value()) state.throttle_events = state.throttle_events.value_or(0) + count.value();
    }
  }
}

Measured<std::string> governor(const HostFiles& files) {
  std::set<std::string> names;
  for (const std::string& policy : files.entries(std::string(kCpuFolder) + "/cpufreq", "policy")) {
    const auto name = files.line(policy + "/scaling_governor");
    if (name.has_value()) names.insert(name.value());
  }
  if (names.empty()) return missing("the kernel does not control the CPU frequency");
  return join(std::vector<std::string>(names.begin(), names.end()));
}

/// Reads whether the machine is on battery. Ignores batteries of peripherals, and a battery that discharges
/// although a weak charger is connected: neither slows down the CPU.
void read_supplies(const HostFiles& files, HostState& state) {
  bool is_plugged_in = false;
  bool is_discharging = false;
  for (const std::string& supply : files.entries("/sys/class/power_supply")) {
    const auto read = [&](const char* file) { return files.line(supply + file).value_or(""); };
    if (read("/scope") == "Device") continue;
    const bool is_mains = read("/type") == "Mains" || read("/type") == "USB";
    is_plugged_in = is_plugged_in || (is_mains && read("/online") == "1");
    is_discharging = is_discharging || (read("/type") == "Battery" && read("/status") == "Discharging");
  }
  state.is_on_battery = is_discharging && !is_plugged_in;
}

/// Sums the run-queue wait, the second value in schedstat (nanoseconds), of all current threads.
void read_core_wait(const HostFiles& files, HostState& state) {
  for (const std::string& thread : files.entries("/proc/self/task")) {
    std::istringstream figures(files.line(thread + "/schedstat").value_or(""));
    double ran = 0;
    double waited = 0;
    if (figures >> ran >> waited) state.core_wait = state.core_wait.value_or({}) + Seconds{waited * 1e-9};
  }
}

std::string read_cpu_name(const HostFiles& files) {
  std::vector<std::string> names;
  std::string implementer;
  for (const std::string& line : files.lines("/proc/cpuinfo")) {
    if (const std::string name = find_in_line(line, "model name"); !name.empty()) return name;
    if (const std::string found = find_in_line(line, "CPU implementer"); !found.empty()) implementer = found;
    const std::string part = find_in_line(line, "CPU part");
    if (!part.empty()) add_once(names, arm_name(implementer, part));
  }
  return names.empty() ? "unknown" : join(names, " + ");
}

Measured<std::int64_t> read_physical_cores(const HostFiles& files) {
  std::set<std::string> cores;
  for (const std::string& cpu : files.entries(kCpuFolder, "cpu")) {
    const auto siblings = files.line(cpu + "/topology/thread_siblings_list");
    if (siblings.has_value()) cores.insert(siblings.value());
  }
  if (cores.empty()) return missing("no topology in {}", kCpuFolder);
  return std::ssize(cores);
}

}  // namespace

Environment read_host(const HostFiles& files) {
  std::string system = files.line("/etc/os-release", "PRETTY_NAME=").value_or("");
  std::erase(system, '"');
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  Environment machine;
  machine.host = host_name();
  machine.os = system.empty() ? "unknown" : system;
  machine.kernel = kernel_name();
  machine.cpu = read_cpu_name(files);
  machine.physical_cores = read_physical_cores(files);
  machine.memory = missing("the kernel does not report the memory size");
  if (pages > 0 && page_size > 0) machine.memory = Bytes{std::int64_t{pages} * page_size};
  return machine;
}

const CoreLimits& core_limits() {
  static const CoreLimits limits = read_core_limits(HostFiles(), initial_cores());
  return limits;
}

InitialAffinity::InitialAffinity() {
  std::vector<int> now = allowed_cores();
  if (now == initial_cores()) return;
  allow_cores(initial_cores());
  bound_ = std::move(now);
}

InitialAffinity::~InitialAffinity() {
  if (!bound_.empty()) allow_cores(bound_);
}

CoreLimits read_core_limits(const HostFiles& files, const std::vector<int>& logical) {
  std::set<std::string> physical;
  for (const int cpu : logical) {
    const std::string folder = kCpuFolder + ("/cpu" + std::to_string(cpu));
    physical.insert(files.line(folder + "/topology/thread_siblings_list").value_or(folder));
  }
  const auto count = static_cast<double>(logical.size());
  return {std::min(count, read_quota_cores(files).value_or(count)), std::ssize(physical)};
}

std::string usable_cores() {
  const std::vector<int> cores = allowed_cores();
  std::string text;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const int first = cores[i];
    while (i + 1 < cores.size() && cores[i + 1] == cores[i] + 1) ++i;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (cores[i] > first) text += "-" + std::to_string(cores[i]);
  }
  return text;
}

Measured<Bytes> available_memory(const HostFiles& files) {
  Measured<Bytes> least = files.number("/proc/meminfo", "MemAvailable:").then(from_kibibytes);
  const ControlGroup group = control_group(files, "memory");
  const bool is_v2 = group.is_v2;
  for (const std::string& folder : group.folders) {
    const auto limit = files.number(folder + (is_v2 ? "/memory.max" : "/memory.limit_in_bytes"));
    const auto usage = files.number(folder + (is_v2 ? "/memory.current" : "/memory.usage_in_bytes"));
    if (!limit.has_value() || !usage.has_value()) continue;
    // Inactive file cache counts as free, since the kernel reclaims it first.
    const auto cache =
        files.number(folder + "/memory.stat", is_v2 ? "inactive_file " : "total_inactive_file ");
    const std::int64_t used = std::max<std::int64_t>(0, usage.value() - cache.value_or(0));
    keep_smaller(least, Bytes{std::max<std::int64_t>(0, limit.value() - used)});
  }
  return least;
}

Measured<Bytes> last_level_cache(const HostFiles& files) {
  // Sizes by level, then by the list of CPUs that share the cache, which identifies it.
  std::map<std::int64_t, std::map<std::string, Bytes>> caches;
  for (const std::string& core : files.entries(kCpuFolder, "cpu")) {
    if (std::isdigit(static_cast<unsigned char>(core.back())) == 0) continue;  // "cpufreq"
    for (const std::string& cache : files.entries(core + "/cache", "index")) {
      const auto level = files.number(cache + "/level");
      const auto size = files.number(cache + "/size").then(from_kibibytes);  // "32768K"; always in KiB.
      const auto cores = files.line(cache + "/shared_cpu_list");
      if (level.has_value() && size.has_value() && cores.has_value())
        caches[level.value()][cores.value()] = size.value();
    }
  }
  if (caches.empty()) return missing("no cache in /sys/devices/system/cpu");
  Bytes all{};
  for (const auto& [cores, size] : caches.rbegin()->second) all = all + size;
  return all;
}

std::shared_ptr<void> keep_awake() { return nullptr; }

Measured<std::int64_t> integrated_gpu_cores() { return missing("Linux does not report the cores of a GPU"); }

HostState read_host_state(const HostFiles& files) {
  HostState state;
  read_cpu_times(files, state);
  state.out_of_memory_kills = read_out_of_memory_kills(files);
  read_throttle_events(files, state);
  read_quota_stops(files, state);
  read_core_wait(files, state);
  state.governor = governor(files);
  read_supplies(files, state);
  // Firmware profile of a laptop or workstation, selected by the user.
  state.is_saving_power =
      files.line("/sys/firmware/acpi/platform_profile").then([](const std::string& profile) {
        return profile == "low-power" || profile == "quiet";
      });
  state.at = read_clock(CLOCK_MONOTONIC);
  state.asleep = read_clock(CLOCK_BOOTTIME) - state.at;
  return state;
}

}  // namespace gpubench
