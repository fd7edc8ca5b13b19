#pragma once
// Counters of the fault injector, shared through a mapped file.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace gpubench::test {

/// Number of calls by name of faults.def, and of injected faults.
struct Tally {
  std::map<std::string, std::int64_t> calls;
  std::int64_t faults = 0;
};

/// Creates a file for GPUBENCH_FAULT_TALLY with zero counts.
void clear_tally(const std::filesystem::path& path);
Tally read_tally(const std::filesystem::path& path);

}  // namespace gpubench::test
