#include "device/host/linux_host.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

std::string system_name() {
  std::string name = HostFiles().read_line("/etc/os-release", "PRETTY_NAME=").value_or("");
  std::erase(name, '"');
  return name.empty() ? "unknown" : name;
}

Measured<Bytes> memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return missing("the kernel does not tell the size of the memory");
  return Bytes{static_cast<std::int64_t>(pages) * page_size};
}

bool has_controller(const std::string& controllers, const std::string& wanted) {
  return ("," + controllers + ",").find("," + wanted + ",") != std::string::npos;
}

/// Returns the logical cores of the affinity mask, or all of the machine if the kernel refuses to tell.
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

/// Those of the first call.
const std::vector<int>& initial_cores() {
  static const std::vector<int> cores = allowed_cores();
  return cores;
}

/// Of the calling thread; where the kernel refuses, the mask stays as it is.
void allow_cores(const std::vector<int>& cores) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int core : cores) CPU_SET(core, &mask);
  sched_setaffinity(0, sizeof mask, &mask);
}

/// Of version 2: "max 100000" where there is no limit, else quota and period in microseconds.
Measured<double> quota_v2(const HostFiles& files, const std::string& folder) {
  std::istringstream text(files.line(folder + "/cpu.max").value_or(""));
  double quota = 0;
  double period = 0;
  if (text >> quota >> period && quota > 0 && period > 0) return quota / period;
  return missing("no CPU quota in " + folder);
}

/// Of version 1: a file for each; the quota is -1 where there is no limit.
Measured<double> quota_v1(const HostFiles& files, const std::string& folder) {
  const auto quota = files.number(folder + "/cpu.cfs_quota_us");
  const auto period = files.number(folder + "/cpu.cfs_period_us");
  const bool is_known = quota.has_value() && period.has_value();
  if (!is_known || quota.value() <= 0 || period.value() <= 0) return missing("no CPU quota in " + folder);
  return static_cast<double>(quota.value()) / static_cast<double>(period.value());
}

/// What the limit of one folder leaves; absent where it has none. Cache that was not used of late is given
/// back before anything is killed.
Measured<Bytes> left_in(const HostFiles& files, const std::string& folder, bool is_v2) {
  const auto limit = files.number(folder + (is_v2 ? "/memory.max" : "/memory.limit_in_bytes"));
  const auto usage = files.number(folder + (is_v2 ? "/memory.current" : "/memory.usage_in_bytes"));
  if (!limit.has_value() || !usage.has_value()) return missing("no limit in " + folder);
  const auto cache =
      files.read_number(folder + "/memory.stat", is_v2 ? "inactive_file " : "total_inactive_file ");
  const std::int64_t used = std::max<std::int64_t>(0, usage.value() - cache.value_or(0));
  return Bytes{std::max<std::int64_t>(0, limit.value() - used)};
}

template <class T>
void keep_less(Measured<T>& least, const Measured<T>& other) {
  if (other.has_value() && (!least.has_value() || other.value() < least.value())) least = other;
}

Bytes of_kibibytes(std::int64_t count) { return {count * 1024}; }

bool is_core(const std::string& path) { return std::isdigit(static_cast<unsigned char>(path.back())) != 0; }

/// Sizes by level, and by the list of CPUs that share a cache, which tells one cache from another.
using Caches = std::map<std::int64_t, std::map<std::string, Bytes>>;

void add_cache(const HostFiles& files, const std::string& cache, Caches& caches) {
  const auto level = files.number(cache + "/level");
  const auto size = files.number(cache + "/size").then(of_kibibytes);  // "32768K": there is no other unit.
  const auto cores = files.line(cache + "/shared_cpu_list");
  if (!level.has_value() || !size.has_value() || !cores.has_value()) return;
  caches[level.value()][cores.value()] = size.value();
}

/// Numbers of Arm's registers and what they stand for, from lscpu of util-linux.
struct ArmPart {
  std::string_view implementer;
  std::string_view part;  ///< Empty in the implementer's own row.
  std::string_view name;
};

constexpr std::array kArmParts = std::to_array<ArmPart>({
    {"0x41", "", "Arm"},
    {"0x41", "0xd03", "Arm Cortex-A53"},
    {"0x41", "0xd05", "Arm Cortex-A55"},
    {"0x41", "0xd07", "Arm Cortex-A57"},
    {"0x41", "0xd08", "Arm Cortex-A72"},
    {"0x41", "0xd0b", "Arm Cortex-A76"},
    {"0x41", "0xd0c", "Arm Neoverse-N1"},
    {"0x41", "0xd40", "Arm Neoverse-V1"},
    {"0x41", "0xd41", "Arm Cortex-A78"},
    {"0x41", "0xd42", "Arm Cortex-A78AE"},
    {"0x41", "0xd49", "Arm Neoverse-N2"},
    {"0x41", "0xd4f", "Arm Neoverse-V2"},
    {"0x41", "0xd84", "Arm Neoverse-V3"},
    {"0x41", "0xd85", "Arm Cortex-X925"},
    {"0x41", "0xd87", "Arm Cortex-A725"},
    {"0x41", "0xd8e", "Arm Neoverse-N3"},
    {"0x46", "", "Fujitsu"},
    {"0x46", "0x001", "Fujitsu A64FX"},
    {"0x48", "", "HiSilicon"},
    {"0x48", "0xd01", "HiSilicon TaiShan-v110"},
    {"0x4e", "", "NVIDIA"},
    {"0x4e", "0x004", "NVIDIA Carmel"},
    {"0x51", "", "Qualcomm"},
    {"0x51", "0x001", "Qualcomm Oryon"},
    {"0x61", "", "Apple"},
    {"0x6d", "", "Microsoft"},
    {"0x6d", "0xd49", "Microsoft Azure Cobalt 100"},
    {"0xc0", "", "Ampere"},
    {"0xc0", "0xac3", "Ampere Ampere-1"},
    {"0xc0", "0xac4", "Ampere Ampere-1a"},
});

std::string_view make_name(std::string_view implementer, std::string_view part) {
  for (const ArmPart& known : kArmParts) {
    if (known.implementer == implementer && known.part == part) return known.name;
  }
  return {};
}

/// "Arm Neoverse-V2"; with the number where the name is not known: "Arm part 0xdff".
std::string arm_name(const std::string& implementer, const std::string& part) {
  if (const auto name = make_name(implementer, part); !name.empty()) return std::string(name);
  const std::string_view maker = make_name(implementer, "");
  return (maker.empty() ? "Arm implementer " + implementer : std::string(maker)) + " part " + part;
}

/// The rest of a line of /proc/cpuinfo behind its colon, where it is about `key`; some fill it up with
/// blanks.
std::string find_in_line(const std::string& line, std::string_view key) {
  const std::size_t colon = line.find(": ");
  if (!line.starts_with(key) || colon == std::string::npos) return {};
  return line.substr(colon + 2, line.find_last_not_of(' ') - colon - 1);
}

/// The kinds of cores, which may be several, in the order of the first of each.
std::vector<std::string> arm_names(const HostFiles& files) {
  std::vector<std::string> names;
  std::string implementer;
  for (const std::string& line : files.lines("/proc/cpuinfo")) {
    if (const std::string found = find_in_line(line, "CPU implementer"); !found.empty()) implementer = found;
    const std::string part = find_in_line(line, "CPU part");
    if (!part.empty()) add_once(names, arm_name(implementer, part));
  }
  return names;
}

}  // namespace

Environment read_host() {
  Environment machine;
  machine.host = host_name();
  machine.os = system_name();
  machine.kernel = kernel_name();
  machine.cpu = read_cpu_name(HostFiles());
  machine.physical_cores = read_physical_cores(HostFiles());
  machine.memory = memory();
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
  const auto count = static_cast<double>(logical.size());
  return {std::min(count, read_quota_cores(files).value_or(count)), physical_cores_among(files, logical)};
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

Measured<double> read_quota_cores(const HostFiles& files) {
  const ControlGroup group = control_group(files, "cpu");
  Measured<double> least = missing("no CPU quota");
  for (const std::string& folder : group.folders) {
    keep_less(least, group.is_v2 ? quota_v2(files, folder) : quota_v1(files, folder));
  }
  return least;
}

void read_quota_stops(const HostFiles& files, HostState& state) {
  const ControlGroup group = control_group(files, "cpu");
  state.quota_stops = missing("no cgroup counts what its CPU quota stopped");
  state.quota_stopped = missing(state.quota_stops.reason());
  std::int64_t stops = 0;
  Seconds stopped;
  for (const std::string& folder : group.folders) {
    const std::string file = folder + "/cpu.stat";
    const auto count = files.read_number(file, "nr_throttled ");
    const auto time = files.read_number(file, group.is_v2 ? "throttled_usec " : "throttled_time ");
    if (!count.has_value() || !time.has_value()) continue;
    stops += count.value();
    stopped.value += static_cast<double>(time.value()) * (group.is_v2 ? 1e-6 : 1e-9);
    state.quota_stops = stops;
    state.quota_stopped = stopped;
  }
}

Measured<Bytes> read_available_memory(const HostFiles& files) {
  Measured<Bytes> least = files.read_number("/proc/meminfo", "MemAvailable:").then(of_kibibytes);
  const ControlGroup group = control_group(files, "memory");
  for (const std::string& folder : group.folders) keep_less(least, left_in(files, folder, group.is_v2));
  return least;
}

Measured<std::int64_t> read_out_of_memory_kills(const HostFiles& files) {
  const ControlGroup group = control_group(files, "memory");
  const std::string file = group.is_v2 ? "/memory.events" : "/memory.oom_control";
  for (const std::string& folder : group.folders) {
    const auto kills = files.read_number(folder + file, "oom_kill ");
    if (kills.has_value()) return kills;
  }
  return files.read_number("/proc/vmstat", "oom_kill ");
}

Measured<Bytes> available_memory() { return read_available_memory(HostFiles()); }

Measured<Bytes> read_last_level_cache(const HostFiles& files) {
  Caches caches;
  for (const std::string& core : files.entries("/sys/devices/system/cpu", "cpu")) {
    if (!is_core(core)) continue;
    for (const std::string& cache : files.entries(core + "/cache", "index")) add_cache(files, cache, caches);
  }
  if (caches.empty()) return missing("no cache in /sys/devices/system/cpu");
  Bytes all{};
  for (const auto& [cores, size] : caches.rbegin()->second) all = all + size;
  return all;
}

std::shared_ptr<void> keep_awake() { return nullptr; }

Measured<std::int64_t> integrated_gpu_cores() { return missing("Linux does not tell the cores of a GPU"); }

Measured<Bytes> last_level_cache() { return read_last_level_cache(HostFiles()); }

std::string read_cpu_name(const HostFiles& files) {
  for (const std::string& line : files.lines("/proc/cpuinfo")) {
    if (const std::string name = find_in_line(line, "model name"); !name.empty()) return name;
  }
  const std::vector<std::string> names = arm_names(files);
  return names.empty() ? "unknown" : join(names, " + ");
}

Measured<std::int64_t> read_physical_cores(const HostFiles& files) {
  std::set<std::string> cores;
  std::string package;
  for (const std::string& line : files.lines("/proc/cpuinfo")) {
    if (line.starts_with("physical id")) package = line;
    if (line.starts_with("core id")) cores.insert(package + line);
  }
  if (!cores.empty()) return std::ssize(cores);
  // Arm's kernels list no cores there. Hyperthreads of a core have the same list of siblings.
  for (const std::string& cpu : files.entries("/sys/devices/system/cpu", "cpu")) {
    const auto siblings = files.line(cpu + "/topology/thread_siblings_list");
    if (siblings.has_value()) cores.insert(siblings.value());
  }
  if (cores.empty()) return missing("neither /proc/cpuinfo nor /sys/devices/system/cpu tells of cores");
  return std::ssize(cores);
}

std::int64_t physical_cores_among(const HostFiles& files, const std::vector<int>& logical) {
  std::set<std::string> cores;
  for (const int cpu : logical) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu);
    cores.insert(files.line(folder + "/topology/thread_siblings_list").value_or(folder));
  }
  return std::ssize(cores);
}

}  // namespace gpubench
