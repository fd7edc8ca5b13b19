#include "device/host/host.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

constexpr double kOthersLimit = 0.05;    // Daemons of an idle desktop and kernel work take a smaller share.
constexpr double kStolenLimit = 0.02;    // A hypervisor with spare cores takes only a few ticks.
constexpr double kCoreWaitLimit = 0.1;   // A thread without a core delays others: 10 % can double the time.
constexpr Seconds kMinTimeForShares{1};  // Counters advance by 10 ms per core.
constexpr double kMinSleep = 1;  // Seconds. Two clocks that are read in succession may differ by less.

/// Governors that keep the clock low or raise it slowly. "schedutil" and "ondemand" raise it in milliseconds.
constexpr const char* kSlowGovernors[] = {"powersave", "conservative", "userspace"};

/// Returns the difference, or zero if it is unknown.
template <class T>
T growth(const Measured<T>& before, const Measured<T>& after) {
  return before.has_value() && after.has_value() ? after.value() - before.value() : T{};
}

/// Returns `used` as a share of the time of all cores; 0 if unknown or too short for shares.
double share_of_cores(const HostState& before, const HostState& after, Seconds used) {
  const Seconds elapsed = after.at - before.at;
  if (elapsed < kMinTimeForShares || after.cores == 0) return 0;
  return used.value / (elapsed.value * static_cast<double>(after.cores));
}

bool is_slow(const Measured<std::string>& governor) {
  const std::string names = governor.value_or("");
  return std::ranges::any_of(kSlowGovernors,
                             [&](const char* slow) { return names.find(slow) != std::string::npos; });
}

bool is_hot(const HostState& state) { return state.thermal_pressure.value_or("nominal") != "nominal"; }

/// Returns the share of the CPU time that other processes used; 0 if unknown.
double share_of_others(const HostState& before, const HostState& after, Seconds own_cpu) {
  return share_of_cores(before, after, growth(before.busy, after.busy) - own_cpu);
}

}  // namespace

std::int64_t CoreLimits::threads() const {
  return std::max<std::int64_t>(1, std::min(physical, static_cast<std::int64_t>(available)));
}

std::string kernel_name() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

std::int64_t visible_nvidia_gpus() {
  std::error_code ignored;
  const auto installed =
      std::distance(std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", ignored),
                    std::filesystem::directory_iterator());
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return installed;
  const std::string list = visible;
  const auto named = list.empty() || list == "-1" ? 0 : std::ranges::count(list, ',') + 1;
  return std::min<std::int64_t>(installed, named);
}

std::string host_name() {
  char name[256] = "";
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "unknown";
  return name;
}

std::vector<Warning> host_warnings(const HostState& before, const HostState& after, Seconds own_cpu) {
  std::vector<Warning> warnings;
  const auto warn = [&](WarningKind kind, std::optional<double> figure = {}, const std::string& detail = "") {
    warnings.push_back(make_warning(kind, figure, detail));
  };
  const double others = share_of_others(before, after, own_cpu);
  if (others > kOthersLimit) warn(WarningKind::kOtherProcesses, others);
  const double stolen = share_of_cores(before, after, growth(before.stolen, after.stolen));
  if (stolen > kStolenLimit) warn(WarningKind::kHypervisor, stolen);
  const double slept = growth(before.asleep, after.asleep).value;
  if (slept >= kMinSleep) warn(WarningKind::kSleep, slept);
  if (before.is_on_battery.value_or(false) || after.is_on_battery.value_or(false))
    warn(WarningKind::kBattery);
  if (before.is_saving_power.value_or(false) || after.is_saving_power.value_or(false))
    warn(WarningKind::kLowPowerMode);
  const HostState& slower = is_slow(after.governor) ? after : before;
  if (is_slow(slower.governor)) warn(WarningKind::kGovernor, {}, slower.governor.value());
  const std::int64_t events = growth(before.throttle_events, after.throttle_events);
  if (events > 0) warn(WarningKind::kCpuThrottling, static_cast<double>(events));
  const std::int64_t stops = growth(before.quota_stops, after.quota_stops);
  const double stopped = growth(before.quota_stopped, after.quota_stopped).value;
  if (stops > 0) warn(WarningKind::kCpuQuota, stopped, with_separators(stops));
  const HostState& hotter = is_hot(after) ? after : before;
  if (is_hot(hotter)) warn(WarningKind::kThermalPressure, {}, hotter.thermal_pressure.value());
  return warnings;
}

std::vector<Warning> core_wait_warnings(const HostState& before, const HostState& after, Seconds own_cpu,
                                        std::int64_t threads, bool spins) {
  const Seconds elapsed = after.at - before.at;
  if (elapsed < kMinTimeForShares || threads < 1) return {};
  const Seconds waited = growth(before.core_wait, after.core_wait);
  const double part = waited.value / elapsed.value / static_cast<double>(threads);
  if (part <= kCoreWaitLimit) return {};
  const bool has_stops = growth(before.quota_stops, after.quota_stops) > 0;
  std::string cause = has_stops ? "the CPU quota stopped them; raise it, or use fewer --threads"
                                : "there are more threads than free cores; use fewer --threads";
  if (const double others = share_of_others(before, after, own_cpu); others > kOthersLimit)
    cause = fmt::format("other processes used {} of the CPU time; end them{}", percent_text(others),
                        spins && threads > 1 ? ", or set OMP_WAIT_POLICY=passive" : "");
  return {make_warning(WarningKind::kCoreWait, part, cause)};
}

}  // namespace gpubench
