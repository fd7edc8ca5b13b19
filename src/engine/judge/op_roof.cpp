#include <algorithm>

#include "engine/judge/roof.h"
#include "engine/plan/op_plan.h"

namespace gpubench {
namespace {

Reading<double> peak_of(const OpRecord& record, const Environment& environment) {
  const Reading<double> fp32 = product_peak(environment, record.device, to_string(OpType::kFp32));
  const bool is_whole = record.type == OpType::kInt32 || record.type == OpType::kInt64;
  if (is_whole) return fp32;
  const Reading<double> own = product_peak(environment, record.device, to_string(record.type));
  if (!own.has_value() || !fp32.has_value()) return fp32.has_value() ? fp32 : own;
  return std::max(own.value(), fp32.value());
}

}  // namespace

void note_roof(OpRecord& record, const Environment& environment) {
  const DeviceRecord* const device = device_named(environment, record.device);
  record.peak_flops_per_second = peak_of(record, environment);
  if (device == nullptr) {
    const Absent unknown = absent("nothing is known of " + record.device);
    record.peak_bytes_per_second = unknown;
    record.operation_latency = unknown;
    return;
  }
  record.peak_bytes_per_second = device->triad_bytes_per_second;
  record.operation_latency = device->launch_latency;
}

}  // namespace gpubench
