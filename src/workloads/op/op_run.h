#pragma once
// Runs one operation: checks a call, then times calls.

#include "gpubench/core/clock.h"
#include "gpubench/device.h"
#include "gpubench/op.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Throws a usage Error for sizes that the operation does not take, or whose bytes overflow.
void check_sizes(const OpEntry& entry, const OpCase& sizes);

/// Checks a call against fp64 on the CPU, then times calls. Throws like check_sizes(). Leaves TF32 off.
OpRecord run_op(const OpEntry& entry, const OpPoint& asked, Device& device, const Clock& clock);

}  // namespace gpubench
