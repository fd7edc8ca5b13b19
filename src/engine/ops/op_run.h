#pragma once
// Runs one row of the table of operations. No LibTorch in this header.

#include "engine/plan/op_work.h"
#include "gpubench/core/clock.h"
#include "gpubench/device.h"
#include "gpubench/record/ops_record.h"

namespace gpubench {

struct OpEntry;

/// Throws a usage Error for sizes that the operation does not take, or that nobody could count the bytes of.
void check_sizes(const OpEntry& entry, const OpCase& sizes);

/// Checks one call against fp64 on the CPU, then times calls. Never throws for what goes wrong in it, but a
/// usage Error as check_sizes() does. Products of fp32 are strict afterwards: no TF32.
OpRecord run_op(const OpEntry& entry, const OpRequest& request, Device& device, const Clock& clock);

}  // namespace gpubench
