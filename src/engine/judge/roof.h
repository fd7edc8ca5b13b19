#pragma once
// What the device of a case can do at best.

#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// nullptr where the environment lacks the device.
const DeviceRecord* device_named(const Environment& environment, const std::string& name);

/// Best rate of a matrix product in `precision` ("fp32", "tf32", "bf16", "fp16") on a device of
/// `environment`, in FLOP a second.
Reading<double> product_peak(const Environment& environment, const std::string& device,
                             const std::string& precision);

/// Notes in `record` the part of its device's roof that applies to its precision and to the way in which its
/// operations were launched: peak_flops_per_second, peak_bytes_per_second, operation_latency.
void note_roof(CaseRecord& record, const Environment& environment);

}  // namespace gpubench
