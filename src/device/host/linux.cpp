#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <utility>

#include "device/host/platform.h"

namespace gpubench {
namespace {

/// The text after `key` and `separator` in the first line that starts with `key`; empty where there is none.
std::string first_value(const std::string& path, const std::string& key, char separator) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t start = line.find(separator);
    if (start == std::string::npos) continue;
    const std::size_t text = line.find_first_not_of(" \t\"", start + 1);
    if (text == std::string::npos) continue;
    return line.substr(text, line.find_last_not_of(" \t\"") - text + 1);
  }
  return {};
}

std::string or_unknown(std::string text) { return text.empty() ? "unknown" : text; }

std::string cpu_name() {
  // Arm kernels give no model name; the implementer's number is at least something to compare.
  const std::string name = first_value("/proc/cpuinfo", "model name", ':');
  return name.empty() ? or_unknown(first_value("/proc/cpuinfo", "CPU implementer", ':')) : name;
}

Reading<std::int64_t> physical_cores() {
  std::ifstream in("/proc/cpuinfo");
  std::set<std::pair<std::string, std::string>> cores;
  std::string package;
  for (std::string line; std::getline(in, line);) {
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

}  // namespace

HostFacts read_host() {
  return {host_name(),      or_unknown(first_value("/etc/os-release", "PRETTY_NAME", '=')),
          kernel_name(),    cpu_name(),
          physical_cores(), memory()};
}

int affinity_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace gpubench
