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

/// The columns after "cpu", in the order of proc(5).
struct CpuTicks {
  std::int64_t user = 0, nice = 0, system = 0, idle = 0, io_wait = 0, irq = 0, soft_irq = 0, steal = 0;
};

void read_cpu_times(const HostFiles& files, HostState& state) {
  const Measured<std::string> all_cores = files.read_line("/proc/stat", "cpu ");
  CpuTicks t;
  std::istringstream columns(all_cores.has_value() ? all_cores.value() : "");
  if (!(columns >> t.user >> t.nice >> t.system >> t.idle >> t.io_wait >> t.irq >> t.soft_irq >> t.steal)) {
    const Missing why =
        missing(all_cores.has_value() ? "too few CPU times in /proc/stat" : all_cores.reason());
    state.busy = why;
    state.stolen = why;
    return;
  }
  state.busy = to_seconds(t.user + t.nice + t.system + t.irq + t.soft_irq);
  state.stolen = to_seconds(t.steal);
  for (const std::string& line : files.lines("/proc/stat")) {
    if (line.starts_with("cpu") && !line.starts_with("cpu ")) ++state.cores;
  }
}

/// Which core or package a count belongs to. Hyperthreads of a core, and all cores of a package, repeat it.
std::string find_owner(const HostFiles& files, const std::string& cpu, const std::string& kind) {
  const auto package = files.line(cpu + "/topology/physical_package_id");
  const auto core = files.line(cpu + "/topology/core_id");
  if (!package.has_value() || !core.has_value()) return kind + " of " + cpu;
  return kind == "package" ? "package " + package.value() : "core " + package.value() + ":" + core.value();
}

Measured<std::int64_t> throttle_events(const HostFiles& files) {
  bool is_known = false;
  std::map<std::string, std::int64_t> counts;
  for (const std::string& cpu : files.entries(kCpuFolder, "cpu")) {
    for (const std::string kind : {"core", "package"}) {
      const auto count = files.number(cpu + "/thermal_throttle/" + kind + "_throttle_count");
      is_known = is_known || count.has_value();
      // Mostly there is nothing to count, and then no need to read whose nothing it is.
      if (!count.has_value() || count.value() == 0) continue;
      std::int64_t& owners = counts[find_owner(files, cpu, kind)];
      owners = std::max(owners, count.value());
    }
  }
  if (!is_known) return missing("this processor does not count how often it throttles");
  std::int64_t events = 0;
  for (const auto& [owner, count] : counts) events += count;
  return events;
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

bool reads(const Measured<std::string>& line, const std::string& text) {
  return line.has_value() && line.value() == text;
}

/// Batteries of mice and keyboards do not count, nor does one that discharges beside a charger that is too
/// weak: the processor is then not slowed down.
Measured<bool> is_on_battery(const HostFiles& files) {
  bool is_known = false;
  bool is_plugged_in = false;
  bool is_discharging = false;
  for (const std::string& supply : files.entries("/sys/class/power_supply")) {
    const auto type = files.line(supply + "/type");
    if (reads(files.line(supply + "/scope"), "Device")) continue;
    const bool is_mains = reads(type, "Mains") || reads(type, "USB");
    const bool is_battery = reads(type, "Battery");
    is_known = is_known || is_mains || is_battery;
    is_plugged_in = is_plugged_in || (is_mains && reads(files.line(supply + "/online"), "1"));
    is_discharging = is_discharging || (is_battery && reads(files.line(supply + "/status"), "Discharging"));
  }
  if (!is_known) return missing("no power supply in /sys/class/power_supply");
  return is_discharging && !is_plugged_in;
}

/// The profile of a laptop's or workstation's firmware, which desktops let the user choose.
Measured<bool> is_saving_power(const HostFiles& files) {
  return files.line("/sys/firmware/acpi/platform_profile").then([](const std::string& profile) {
    return profile == "low-power" || profile == "quiet";
  });
}

/// Of all threads that live now: the second figure of each, in nanoseconds.
Measured<Seconds> core_wait(const HostFiles& files) {
  Seconds sum;
  bool is_known = false;
  for (const std::string& thread : files.entries("/proc/self/task")) {
    const auto line = files.line(thread + "/schedstat");
    std::istringstream figures(line.has_value() ? line.value() : "");
    double ran = 0;
    double waited = 0;
    if (!(figures >> ran >> waited)) continue;
    is_known = true;
    sum.value += waited * 1e-9;
  }
  if (!is_known) return missing("the kernel does not tell how long threads wait for a core");
  return sum;
}

Measured<Seconds> clock_time(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return missing("the kernel has no clock that counts sleep");
  return Seconds{static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9};
}

}  // namespace

HostState collect_host_state(const HostFiles& files) {
  HostState state;
  read_cpu_times(files, state);
  state.out_of_memory_kills = read_out_of_memory_kills(files);
  state.throttle_events = throttle_events(files);
  read_quota_stops(files, state);
  state.core_wait = core_wait(files);
  state.governor = governor(files);
  state.is_on_battery = is_on_battery(files);
  state.is_saving_power = is_saving_power(files);
  state.thermal_pressure = missing("Linux counts throttling instead");
  return state;
}

HostState read_host_state() {
  HostState state = collect_host_state(HostFiles());
  const Measured<Seconds> awake = clock_time(CLOCK_MONOTONIC);
  if (awake.has_value()) state.at = awake.value();
  state.asleep = awake.then([](Seconds up) {
    return clock_time(CLOCK_BOOTTIME).then([&](Seconds since_boot) { return since_boot - up; });
  });
  return state;
}

}  // namespace gpubench
