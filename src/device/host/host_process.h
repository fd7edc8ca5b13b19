#pragma once
// What differs between systems in running processes: children, memory and its bound, and a library that the
// program carries inside itself. No LibTorch.

#include <cstddef>
#include <span>
#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// A new descriptor of memory that has no name and that child processes can map. Closed in programs that are
/// executed. -1 with errno set where the system gives none.
int create_shared_memory();

/// The file of the running program.
std::string executable_path();

/// The variable of the environment whose folders the loader searches before those that a program names.
std::string library_path_variable();

/// Makes this process the parent of descendants whose own parent has ended. False where the system cannot, or
/// where copies of a process that has loaded large libraries are not safe.
bool adopt_orphans();

/// Has the system send this signal where the process that started this one ends before it; nothing where it
/// cannot.
void end_with_parent(int signal);

/// Threads of this process; 0 where the system does not tell.
std::size_t thread_count();

/// The figure that getrusage calls ru_maxrss, whose unit is the system's affair.
Bytes resident_bytes(long ru_maxrss);

/// Memory of this process that is in main memory now.
Bytes current_resident();

/// Makes the largest resident set of this process what it is now, where the system can.
void forget_peak_resident();

/// Lets this process allocate at most `size` more than it has now, so that it is refused memory instead of
/// driving the whole machine out of it. Libraries that do not look whether they were refused may then crash:
/// such a crash says "out of memory" on stderr before it ends the process. Where the system has no such limit
/// nothing happens. To be called once a process.
void limit_memory(Bytes size);

/// What limit_memory() leaves now; the largest number where there is no limit.
Bytes memory_left_by_limit();

/// What `ulimit -v` leaves of this process's address space; the largest number where there is no such limit.
Bytes address_space_left();

/// Whether this process has come so close to its limit that a refusal of memory is the likely cause of a
/// failure that names another: a quarter of what it was given, for a tensor can be as large. False where
/// there is no limit.
bool has_neared_memory_limit();

/// Loads the library in `image` for the rest of the process's life, and returns the address of `symbol` in
/// it. No file of it stays. Throws a usage Error, "cannot be loaded: " and the loader's own words.
void* load_library(std::span<const std::byte> image, const std::string& symbol);

/// The same for a library in a file.
void* load_library(const std::string& path, const std::string& symbol);

/// Loads a library that others will ask for by its name alone. Throws the same.
void load_library(const std::string& path);

/// Whether the loader finds a library of this name, such as that of a driver, which stays loaded then.
bool has_library(const std::string& name);

}  // namespace gpubench
