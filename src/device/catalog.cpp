#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/device.h"

namespace gpubench {
namespace {

/// Lists the usable devices of a kind; `why_not` is the reason for none.
std::vector<std::string> list_devices(const DeviceEntry& entry, std::string& why_not) {
  std::vector<std::string> names;
  const int count = entry.count(why_not);
  for (int i = 0; i < count; ++i)
    names.push_back(entry.has_index ? fmt::format("{}:{}", entry.name, i) : entry.name);
  return names;
}

const DeviceEntry& require_kind(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos && !parse_whole(name.substr(colon + 1)))
    throw Error(ErrorKind::kUsage, "--device: '{}' is no device; write cpu, cuda, cuda:1, mps or auto", name);
  const std::string kind = name.substr(0, colon);
  if (const DeviceEntry* entry = device_kinds().find(kind)) return *entry;
  std::vector<std::string> known = device_kinds().names();
  known.push_back("auto");
  throw_unknown_name("--device", "device", kind, known);
}

}  // namespace

std::vector<std::string> usable_devices() {
  std::vector<std::string> names;
  std::string ignored;
  for (const DeviceEntry& entry : device_kinds()) append(names, list_devices(entry, ignored));
  return names;
}

std::string resolve_device(const std::string& name) {
  if (name == "auto") return usable_devices().front();
  const DeviceEntry& entry = require_kind(name);
  const std::string full = entry.has_index && name == entry.name ? name + ":0" : name;
  std::string why_not;
  const std::vector<std::string> usable = list_devices(entry, why_not);
  if (std::ranges::find(usable, full) != usable.end()) return full;
  if (!usable.empty()) why_not = "this machine has " + join(usable);
  throw Error(ErrorKind::kDevice, "--device {}: {}", full, why_not);
}

std::unique_ptr<Device> open_device(const std::string& name) {
  const std::string full = resolve_device(name);
  const DeviceEntry& entry = require_kind(full);
  return entry.open(entry.has_index ? std::stoi(full.substr(entry.name.size() + 1)) : 0);
}

}  // namespace gpubench
