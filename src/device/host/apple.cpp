#include <sys/sysctl.h>

#include "device/host/platform.h"

namespace gpubench {
namespace {

std::string text_of(const char* name) {
  char text[256] = "";
  std::size_t size = sizeof text - 1;
  if (sysctlbyname(name, text, &size, nullptr, 0) != 0) return "unknown";
  return text;
}

Reading<std::int64_t> number_of(const char* name) {
  // Some of these are 32 bits wide; on a little-endian machine the upper half then stays zero.
  std::int64_t number = 0;
  std::size_t size = sizeof number;
  if (sysctlbyname(name, &number, &size, nullptr, 0) != 0) return absent(std::string("no sysctl ") + name);
  return number;
}

Reading<Bytes> memory() {
  const auto bytes = number_of("hw.memsize");
  if (!bytes.has_value()) return absent(bytes.reason());
  return Bytes{bytes.value()};
}

}  // namespace

HostFacts read_host() {
  return {host_name(),
          "macOS " + text_of("kern.osproductversion"),
          kernel_name(),
          text_of("machdep.cpu.brand_string"),
          number_of("hw.physicalcpu"),
          memory()};
}

int affinity_cores() {
  const auto cores = number_of("hw.activecpu");
  return cores.has_value() ? static_cast<int>(cores.value()) : 1;
}

Reading<Bytes> last_level_cache() {
  // Apple silicon tells neither of its system cache nor of a third level.
  for (const char* name : {"hw.l3cachesize", "hw.perflevel0.l2cachesize", "hw.l2cachesize"}) {
    const auto bytes = number_of(name);
    if (bytes.has_value() && bytes.value() > 0) return Bytes{bytes.value()};
  }
  return absent("no sysctl for the size of a cache");
}

Reading<double> quota_cores() { return absent("macOS has no CPU quotas"); }

}  // namespace gpubench
