#pragma once
// Runs one row of the table of operations. No LibTorch in this header.

#include "engine/plan/op_work.h"
#include "gpubench/core/clock.h"
#include "gpubench/device.h"
#include "gpubench/record/ops_record.h"

namespace gpubench {

struct OpEntry;

/// Throws a usage Error for sizes that the operation does not take, or whose bytes overflow.
void check_sizes(const OpEntry& entry, const OpCase& sizes);

/// Checks one call against fp64 on the CPU, then times calls. Failures are in the status of the record.
/// Throws a usage Error as check_sizes() does. Leaves TF32 off.
OpRecord run_op(const OpEntry& entry, const OpRequest& request, Device& device, const Clock& clock);

}  // namespace gpubench
