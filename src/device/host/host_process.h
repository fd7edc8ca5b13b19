#pragma once
// System calls for processes: children, memory limits, and the embedded library. No LibTorch.

#include <cstddef>
#include <span>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// Creates close-on-exec memory that children can map. Returns -1 with errno set on failure.
int create_shared_memory();

std::string executable_path();

/// Returns the variable of folders that the loader searches first.
std::string library_path_variable();

/// Adopts orphaned descendants. Returns false if unsupported, or if forking is not safe.
bool adopt_orphans();

/// Requests this signal for the end of the parent process, if supported.
void end_with_parent(int signal);

/// Returns the threads of this process; 0 if unknown.
std::size_t thread_count();

/// Converts getrusage's ru_maxrss, whose unit depends on the system.
Bytes resident_bytes(long ru_maxrss);

Bytes current_resident();

/// Resets the peak resident set, where the system can.
void forget_peak_resident();

/// Limits this process's further allocations, which then fail instead of exhausting the machine. If a library
/// crashes on such a failure, the process prints "out of memory" to stderr. Does nothing where unsupported.
/// Call once a process.
void limit_memory(Bytes size);

/// Returns what limit_memory() leaves now; the largest number without a limit.
Bytes memory_left_by_limit();

/// Returns what `ulimit -v` leaves of the address space; the largest number without a limit.
Bytes address_space_left();

/// Returns true if refused memory is the likely cause of a failure: within 1/16 of the limit, if any.
bool has_neared_memory_limit();

/// Loads the library in `image` for good, without a file. Throws a usage Error: "cannot be loaded: ...".
void* load_library(std::span<const std::byte> image, const std::string& symbol);

/// Loads the library in a file, with the same errors.
void* load_library(const std::string& path, const std::string& symbol);

/// Loads a library that others request by its name alone, with the same errors.
void load_library(const std::string& path);

/// Returns true if the loader finds the library, which then stays loaded.
bool has_library(const std::string& name);

}  // namespace gpubench
