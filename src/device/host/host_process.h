#pragma once
// System calls for child processes, memory limits and the embedded library. No LibTorch.

#include <cstddef>
#include <span>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// Creates close-on-exec shared memory for children. Returns -1 and sets errno on failure.
int create_shared_memory();

std::string executable_path();

/// Returns the name of the environment variable with the loader's search path.
std::string library_path_variable();

/// Makes this process the parent of orphaned descendants. Returns false if this or forking is unsupported.
bool adopt_orphans();

/// Requests a signal when the parent process ends, if supported.
void end_with_parent(int signal);

/// Returns the number of threads of this process; 0 if unknown.
std::size_t thread_count();

/// Converts getrusage's ru_maxrss, whose unit depends on the system.
Bytes resident_bytes(long ru_maxrss);

Bytes current_resident();

/// Resets the peak resident set, if supported.
void forget_peak_resident();

/// Limits further allocations of this process, so that they fail instead of exhausting the machine. If a
/// library crashes on such a failure, the process prints "out of memory" to stderr. Does nothing if
/// unsupported. Call at most once per process.
void limit_memory(Bytes size);

/// Returns the memory left within limit_memory(); the largest number without a limit.
Bytes memory_left_by_limit();

/// Returns the address space left within `ulimit -v`; the largest number without a limit.
Bytes address_space_left();

/// Returns true if memory use came within 1/16 of the limit, so that a failure is probably due to memory.
bool has_neared_memory_limit();

/// Loads the library in `image` permanently and returns `symbol`. Throws a usage Error on failure.
void* load_library(std::span<const std::byte> image, const std::string& symbol);

/// Loads a library file permanently and returns `symbol`. Throws like the overload above.
void* load_library(const std::string& path, const std::string& symbol);

/// Loads a library that later libraries request by name. Throws like the overloads above.
void load_library(const std::string& path);

/// Loads the library permanently. Returns false if the loader does not find it.
bool has_library(const std::string& name);

}  // namespace gpubench
