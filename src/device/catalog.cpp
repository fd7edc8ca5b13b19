#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/device.h"

namespace gpubench {
namespace {

/// Kind and index of "cuda:1"; the index is -1 if none is given.
struct DeviceName {
  std::string kind;
  int index = -1;
};

DeviceName parse_device_name(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return {name, -1};
  const auto index = parse_whole(name.substr(colon + 1));
  if (index && *index >= 0 && *index <= std::numeric_limits<int>::max())
    return {name.substr(0, colon), static_cast<int>(*index)};
  throw Error(ErrorKind::kUsage, "--device: '{}' is no device; write cpu, cuda, cuda:1, mps or auto", name);
}

std::string full_name(const DeviceEntry& entry, int index) {
  return entry.has_index ? entry.name + ":" + std::to_string(index) : entry.name;
}

const DeviceEntry& require_kind(const std::string& kind) {
  if (const DeviceEntry* entry = device_kinds().find(kind)) return *entry;
  std::vector<std::string> known = device_kinds().names();
  known.push_back("auto");
  throw_unknown_name("--device", "device", kind, known);
}

}  // namespace

std::vector<std::string> usable_devices() {
  std::vector<std::string> names;
  for (const DeviceEntry& entry : device_kinds()) {
    std::string why_not;
    const int count = entry.count(why_not);
    for (int index = 0; index < count; ++index) names.push_back(full_name(entry, index));
  }
  return names;
}

std::string resolve_device(const std::string& name) {
  if (name == "auto") return usable_devices().front();
  const DeviceName wanted = parse_device_name(name);
  const DeviceEntry& entry = require_kind(wanted.kind);
  if (wanted.index > 0 && !entry.has_index) {
    throw Error(ErrorKind::kDevice, "--device {}: there is one {}; leave the number out", name, entry.name);
  }
  const int index = std::max(wanted.index, 0);
  std::string why_not;
  const int count = entry.count(why_not);
  if (index < count) return full_name(entry, index);
  if (count > 0) why_not = fmt::format("this machine has {} such device(s), counted from 0", count);
  throw Error(ErrorKind::kDevice, "--device {}: {}", full_name(entry, index), why_not);
}

std::unique_ptr<Device> open_device(const std::string& name) {
  const DeviceName resolved = parse_device_name(resolve_device(name));
  return require_kind(resolved.kind).open(std::max(resolved.index, 0));
}

}  // namespace gpubench
