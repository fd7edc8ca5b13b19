#include "engine/judge/roof.h"

#include <algorithm>

namespace gpubench {
namespace {

/// The type that autocast multiplies in is the one whose peak counts.
std::string product_precision(Precision precision) {
  switch (precision) {
    case Precision::kAmpBf16:
      return to_string(Precision::kBf16);
    case Precision::kAmpFp16:
      return to_string(Precision::kFp16);
    default:
      return to_string(precision);
  }
}

}  // namespace

const DeviceRecord* device_named(const Environment& environment, const std::string& name) {
  const auto found = std::find_if(environment.devices.begin(), environment.devices.end(),
                                  [&](const DeviceRecord& device) { return device.name == name; });
  return found == environment.devices.end() ? nullptr : &*found;
}

Reading<double> product_peak(const Environment& environment, const std::string& device,
                             const std::string& precision) {
  const DeviceRecord* const known = device_named(environment, device);
  if (known == nullptr) return absent("nothing is known of " + device);
  if (!known->peak_flops_per_second.has_value()) return absent(known->peak_flops_per_second.reason());
  for (const auto& [name, rate] : known->peak_flops_per_second.value()) {
    if (name == precision) return rate;
  }
  return absent("no peak of " + precision + " was measured on " + device + "; run 'gpubench peak'");
}

void note_roof(CaseRecord& record, const Environment& environment) {
  const DeviceRecord* const device = device_named(environment, record.device);
  record.peak_flops_per_second =
      product_peak(environment, record.device, product_precision(record.mode.precision));
  if (device == nullptr) {
    const Absent unknown = absent("nothing is known of " + record.device);
    record.peak_bytes_per_second = unknown;
    record.operation_latency = unknown;
    return;
  }
  const bool is_graph = record.execution_used == Reading<std::string>(to_string(Execution::kGraph));
  record.peak_bytes_per_second = device->triad_bytes_per_second;
  record.operation_latency = is_graph ? device->graph_node_latency : device->launch_latency;
}

}  // namespace gpubench
