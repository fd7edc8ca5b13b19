#pragma once
// What the fault injector counts, and tells through a file that both map.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace gpubench::test {

/// Calls of each name of faults.def, and how many of them failed.
struct Tally {
  std::map<std::string, std::int64_t> calls;
  std::int64_t faults = 0;
};

/// A file for GPUBENCH_FAULT_TALLY in which nothing is counted yet.
void clear_tally(const std::filesystem::path& path);
Tally read_tally(const std::filesystem::path& path);

}  // namespace gpubench::test
