#include <CoreFoundation/CoreFoundation.h>
#include <IOKit/IOKitLib.h>
#include <IOKit/ps/IOPowerSources.h>
#include <IOKit/pwr_mgt/IOPMLib.h>
#include <mach/mach.h>
#include <notify.h>
#include <objc/message.h>
#include <objc/runtime.h>
#include <sys/sysctl.h>
#include <time.h>
#include <unistd.h>

#include <array>

#include "device/host/host.h"

namespace gpubench {
namespace {

std::string to_text(const char* name) {
  char text[256] = "";
  std::size_t size = sizeof text - 1;
  if (sysctlbyname(name, text, &size, nullptr, 0) != 0) return "unknown";
  return text;
}

Measured<std::int64_t> read_number(const char* name) {
  // Some values have 32 bits. On a little-endian machine, the upper half then stays zero.
  std::int64_t number = 0;
  std::size_t size = sizeof number;
  if (sysctlbyname(name, &number, &size, nullptr, 0) != 0) return missing(std::string("no sysctl ") + name);
  return number;
}

/// Returns the host port. It is kept because each call of mach_host_self() creates another right.
host_t host_port() {
  static const host_t port = mach_host_self();
  return port;
}

Seconds clock_time(clockid_t clock) { return {static_cast<double>(clock_gettime_nsec_np(clock)) * 1e-9}; }

/// Reads 32-bit ticks. They wrap after weeks, but a negative growth causes no warning.
void read_cpu_times(HostState& state) {
  host_cpu_load_info_data_t load{};
  mach_msg_type_number_t size = HOST_CPU_LOAD_INFO_COUNT;
  auto* const info = reinterpret_cast<host_info_t>(&load);
  if (host_statistics(host_port(), HOST_CPU_LOAD_INFO, info, &size) != KERN_SUCCESS) return;
  const double ticks =
      0. + load.cpu_ticks[CPU_STATE_USER] + load.cpu_ticks[CPU_STATE_SYSTEM] + load.cpu_ticks[CPU_STATE_NICE];
  state.busy = Seconds{ticks / static_cast<double>(sysconf(_SC_CLK_TCK))};
  state.cores = sysconf(_SC_NPROCESSORS_ONLN);
}

template <class Result>
Result send(id object, const char* method) {
  return reinterpret_cast<Result (*)(id, SEL)>(objc_msgSend)(object, sel_registerName(method));
}

/// Reads [[NSProcessInfo processInfo] isLowPowerModeEnabled].
Measured<bool> is_saving_power() {
  const id process = reinterpret_cast<id>(objc_getClass("NSProcessInfo"));
  if (process == nullptr) return {};
  return static_cast<bool>(send<BOOL>(send<id>(process, "processInfo"), "isLowPowerModeEnabled"));
}

/// Reads the thermal pressure. The levels are those of macOS, not of iOS (libkern/OSThermalNotification.h).
Measured<std::string> thermal_pressure() {
  constexpr std::array<const char*, 5> kLevels = {"nominal", "moderate", "heavy", "trapping", "sleeping"};
  int token = 0;
  if (notify_register_check("com.apple.system.thermalpressurelevel", &token) != NOTIFY_STATUS_OK) return {};
  uint64_t level = kLevels.size();
  const bool is_read = notify_get_state(token, &level) == NOTIFY_STATUS_OK;
  notify_cancel(token);
  if (!is_read || level >= kLevels.size()) return {};
  return std::string(kLevels[static_cast<std::size_t>(level)]);
}

}  // namespace

Environment read_host(const HostFiles&) {
  Environment machine;
  machine.host = host_name();
  machine.os = "macOS " + to_text("kern.osproductversion");
  machine.kernel = kernel_name();
  machine.cpu = to_text("machdep.cpu.brand_string");
  machine.physical_cores = read_number("hw.physicalcpu");
  machine.memory = read_number("hw.memsize").then([](std::int64_t bytes) { return Bytes{bytes}; });
  return machine;
}

std::shared_ptr<void> keep_awake() {
  IOPMAssertionID assertion = kIOPMNullAssertionID;
  if (IOPMAssertionCreateWithName(kIOPMAssertionTypePreventUserIdleSystemSleep, kIOPMAssertionLevelOn,
                                  CFSTR("gpubench is measuring"), &assertion) != kIOReturnSuccess) {
    return nullptr;
  }
  return {nullptr, [assertion](void*) { IOPMAssertionRelease(assertion); }};
}

Measured<std::int64_t> integrated_gpu_cores() {
  const io_service_t gpu =
      IOServiceGetMatchingService(kIOMainPortDefault, IOServiceMatching("AGXAccelerator"));
  if (gpu == IO_OBJECT_NULL) return missing("no Apple GPU");
  const CFTypeRef number =
      IORegistryEntryCreateCFProperty(gpu, CFSTR("gpu-core-count"), kCFAllocatorDefault, 0);
  IOObjectRelease(gpu);
  if (number == nullptr) return missing("the GPU reports no core count");
  std::int64_t cores = 0;
  CFNumberGetValue(static_cast<CFNumberRef>(number), kCFNumberSInt64Type, &cores);
  CFRelease(number);
  return cores;
}

// macOS supports neither CPU affinity nor CPU quotas.
std::string usable_cores() { return {}; }

const CoreLimits& core_limits() {
  static const CoreLimits limits{static_cast<double>(read_number("hw.activecpu").value_or(1)),
                                 read_number("hw.physicalcpu").value_or(1)};
  return limits;
}

InitialAffinity::InitialAffinity() = default;
InitialAffinity::~InitialAffinity() = default;

Measured<Bytes> last_level_cache(const HostFiles&) {
  // Apple silicon reports neither its system-level cache nor a third level.
  for (const char* name : {"hw.l3cachesize", "hw.perflevel0.l2cachesize", "hw.l2cachesize"}) {
    const auto bytes = read_number(name);
    if (bytes.has_value() && bytes.value() > 0) return Bytes{bytes.value()};
  }
  return missing("sysctl reports no cache size");
}

HostState read_host_state(const HostFiles&) {
  HostState state;
  // CLOCK_UPTIME_RAW stops while the machine sleeps, CLOCK_MONOTONIC_RAW does not.
  state.at = clock_time(CLOCK_UPTIME_RAW);
  state.asleep = clock_time(CLOCK_MONOTONIC_RAW) - state.at;
  read_cpu_times(state);
  state.governor = missing("macOS has no frequency governors");
  // A Mac without a battery also reports unlimited time.
  state.is_on_battery = IOPSGetTimeRemainingEstimate() != kIOPSTimeRemainingUnlimited;
  state.is_saving_power = is_saving_power();
  state.thermal_pressure = thermal_pressure();
  return state;
}

Measured<Bytes> available_memory(const HostFiles&) {
  vm_size_t page_size = 0;
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t size = HOST_VM_INFO64_COUNT;
  auto* const info = reinterpret_cast<host_info64_t>(&pages);
  if (host_page_size(host_port(), &page_size) != KERN_SUCCESS ||
      host_statistics64(host_port(), HOST_VM_INFO64, info, &size) != KERN_SUCCESS)
    return missing("macOS does not report free memory");
  const std::int64_t count = std::int64_t{pages.free_count} + std::int64_t{pages.inactive_count};
  return Bytes{count * static_cast<std::int64_t>(page_size)};
}

}  // namespace gpubench
