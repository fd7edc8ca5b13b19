#pragma once
// A bound on the memory of this process, and what its failures then mean. No LibTorch.

#include "gpubench/core/units.h"

namespace gpubench {

/// Lets this process allocate at most `size` more than it has now, so that it is refused memory instead of
/// driving the whole machine out of it. Libraries that do not look whether they were refused may then crash:
/// such a crash says "out of memory" on stderr before it ends the process. Where the system has no such limit
/// nothing happens. To be called once a process.
void limit_memory(Bytes size);

/// What limit_memory() leaves now; the largest number where there is no limit.
Bytes memory_left_by_limit();

/// Whether this process has come so close to its limit that a refusal of memory is the likely cause of a
/// failure that names another: a quarter of what it was given, for a tensor can be as large. False where
/// there is no limit.
bool has_neared_memory_limit();

}  // namespace gpubench
