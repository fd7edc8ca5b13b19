#include "device/host/linux_host.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

constexpr const char* kCpuFolder = "/sys/devices/system/cpu";

Seconds to_seconds(std::int64_t ticks) {
  return {static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK))};
}

void read_cpu_times(const HostFiles& files, HostState& state) {
  std::istringstream columns(files.read_line("/proc/stat", "cpu ").value_or(""));
  // In the order of proc(5).
  std::int64_t user = 0, nice = 0, system = 0, idle = 0, io_wait = 0, irq = 0, soft_irq = 0, steal = 0;
  if (!(columns >> user >> nice >> system >> idle >> io_wait >> irq >> soft_irq >> steal)) return;
  state.busy = to_seconds(user + nice + system + irq + soft_irq);
  state.stolen = to_seconds(steal);
  for (const std::string& line : files.lines("/proc/stat")) {
    if (line.starts_with("cpu") && !line.starts_with("cpu ")) ++state.cores;
  }
}

/// Returns the core or package of a count, which hyperthreads of a core and cores of a package repeat.
std::string find_owner(const HostFiles& files, const std::string& cpu, const std::string& kind) {
  const auto package = files.line(cpu + "/topology/physical_package_id");
  const auto core = files.line(cpu + "/topology/core_id");
  if (!package.has_value() || !core.has_value()) return kind + " of " + cpu;
  return kind == "package" ? "package " + package.value() : "core " + package.value() + ":" + core.value();
}

void read_throttle_events(const HostFiles& files, HostState& state) {
  std::map<std::string, std::int64_t> counts;
  for (const std::string& cpu : files.entries(kCpuFolder, "cpu")) {
    for (const std::string kind : {"core", "package"}) {
      const auto count = files.number(cpu + "/thermal_throttle/" + kind + "_throttle_count");
      if (!count.has_value()) continue;
      state.throttle_events = 0;
      // Mostly there is nothing to count, and then its owner need not be read.
      if (count.value() == 0) continue;
      std::int64_t& most = counts[find_owner(files, cpu, kind)];
      most = std::max(most, count.value());
    }
  }
  for (const auto& [owner, count] : counts) {
    state.throttle_events = state.throttle_events.value() + count;
  }
}

Measured<std::string> governor(const HostFiles& files) {
  std::set<std::string> names;
  for (const std::string& policy : files.entries(std::string(kCpuFolder) + "/cpufreq", "policy")) {
    const auto name = files.line(policy + "/scaling_governor");
    if (name.has_value()) names.insert(name.value());
  }
  if (names.empty()) return missing("the kernel does not set the CPU's frequency here");
  return join(std::vector<std::string>(names.begin(), names.end()));
}

/// Batteries of mice and keyboards do not count, nor does one that discharges beside a charger that is too
/// weak: the processor is then not slowed down.
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

/// The profile of a laptop's or workstation's firmware, which desktops let the user choose.
Measured<bool> is_saving_power(const HostFiles& files) {
  return files.line("/sys/firmware/acpi/platform_profile").then([](const std::string& profile) {
    return profile == "low-power" || profile == "quiet";
  });
}

/// Adds up the second figure, in nanoseconds, of all threads that live now.
void read_core_wait(const HostFiles& files, HostState& state) {
  for (const std::string& thread : files.entries("/proc/self/task")) {
    std::istringstream figures(files.line(thread + "/schedstat").value_or(""));
    double ran = 0;
    double waited = 0;
    if (figures >> ran >> waited) state.core_wait = state.core_wait.value_or({}) + Seconds{waited * 1e-9};
  }
}

Seconds clock_time(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return {static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9};
}

}  // namespace

HostState collect_host_state(const HostFiles& files) {
  HostState state;
  read_cpu_times(files, state);
  state.out_of_memory_kills = read_out_of_memory_kills(files);
  read_throttle_events(files, state);
  read_quota_stops(files, state);
  read_core_wait(files, state);
  state.governor = governor(files);
  read_supplies(files, state);
  state.is_saving_power = is_saving_power(files);
  return state;
}

HostState read_host_state() {
  HostState state = collect_host_state(HostFiles());
  state.at = clock_time(CLOCK_MONOTONIC);
  state.asleep = clock_time(CLOCK_BOOTTIME) - state.at;
  return state;
}

}  // namespace gpubench
