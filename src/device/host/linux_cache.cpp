#include <cctype>
#include <map>
#include <string>

#include "device/host/linux_state.h"

namespace gpubench {
namespace {

/// Sizes by the list of CPUs that share a cache, which tells one cache from another.
struct Level {
  std::int64_t number = 0;
  std::map<std::string, std::int64_t> sizes;
};

bool is_core(const std::string& path) { return std::isdigit(static_cast<unsigned char>(path.back())) != 0; }

/// "32768K": the kernel tells no other unit.
Reading<std::int64_t> size_of(const HostFiles& files, const std::string& cache) {
  const auto kibibytes = files.number(cache + "/size");
  if (!kibibytes.has_value()) return kibibytes;
  return kibibytes.value() * 1024;
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
