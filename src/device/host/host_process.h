#pragma once
// What differs between systems in running child processes. No LibTorch.

#include <cstddef>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// A new descriptor of memory that has no name and that child processes can map. Closed in programs that are
/// executed. -1 with errno set where the system gives none.
int create_shared_memory();

/// The file of the running program.
std::string executable_path();

/// Makes this process the parent of descendants whose own parent has ended. False where the system cannot, or
/// where copies of a process that has loaded large libraries are not safe.
bool adopt_orphans();

/// Threads of this process; 0 where the system does not tell.
std::size_t thread_count();

/// The figure that getrusage calls ru_maxrss, whose unit is the system's affair.
Bytes resident_bytes(long ru_maxrss);

/// Memory of this process that is in main memory now.
Bytes current_resident();

/// Makes the largest resident set of this process what it is now, where the system can.
void forget_peak_resident();

}  // namespace gpubench
