#pragma once
// What the device of a row can do at best, and rows that claim more.

#include <string>

#include "gpubench/record/ops_record.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// nullptr where the environment lacks the device.
const DeviceRecord* device_named(const Environment& environment, const std::string& name);

/// Notes in `record` the part of its device's roof that applies to its precision and to the way in which its
/// operations were launched: peak_flops_per_second, where that is from, peak_bytes_per_second,
/// operation_latency.
void note_roof(CaseRecord& record, const Environment& environment);

/// Puts what the row's device can do at best into it: the peak of its type, but at least that of fp32, so
/// that a type without fast arithmetic shows as slow; memory bandwidth and launch latency.
void note_roof(OpRecord& record, const Environment& environment);

/// Lifts the peaks of the devices to the best rates that sound rows reached, and notes the roofs of all rows
/// that have one anew, so that none is above its own. Doing so again changes nothing. Published figures stay
/// as they are, and so does what has no peak to be above.
void hold_roofs(RunRecord& run);
void hold_roofs(OpsRecord& table);

/// Why the rate of the row is far above what its device can do: the peak of its precision, or that of fp32 in
/// `environment` where a narrower type is slower. Empty where it is not, or where one of the figures is
/// missing. Training that was not counted is taken for three forward passes.
std::string implausible_rate(const CaseRecord& record, const Environment& environment);
std::string implausible_rate(const OpRecord& record, const Environment& environment);

}  // namespace gpubench
