#pragma once
// How much of what the device could do a case used, and what held it back. docs/utilization.md explains.

#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// FLOP of training a second: those counted for a sample times the throughput.
Reading<double> flops_per_second(const CaseRecord& record);

/// Model FLOP utilisation: `flops_per_second` as a part of the device's measured peak in this precision.
Reading<double> mfu(const CaseRecord& record);

// The least time that a median epoch would take if nothing but this held it back, as a part of it: arithmetic
// at the measured peak, memory traffic at the measured bandwidth, operations at the least time of one.
Reading<double> compute_share(const CaseRecord& record);
Reading<double> memory_share(const CaseRecord& record);
Reading<double> launch_share(const CaseRecord& record);

/// Median time that an epoch waited for batches, as a part of it. Loader host only.
Reading<double> input_share(const CaseRecord& record);

/// "input", where that share is above a half; else "compute", "memory" or "launch", whichever of the other
/// three is largest.
Reading<std::string> bound(const CaseRecord& record);

}  // namespace gpubench
