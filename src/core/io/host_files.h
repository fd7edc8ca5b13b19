#pragma once
// Reads the small text files in which the Linux kernel tells its state.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gpubench/core/reading.h"

namespace gpubench {

/// Files below `root`, which is "/" but in tests. Paths are absolute: "/proc/stat". Nothing here throws:
/// sysfs has files that exist and cannot be read.
class HostFiles {
 public:
  explicit HostFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// The first line; absent, with the path, where there is none.
  Reading<std::string> line(const std::string& path) const { return line_of(path, ""); }

  /// The rest of the first line that starts with `key`, blanks at its ends left out.
  Reading<std::string> line_of(const std::string& path, const std::string& key) const;

  /// The number at the start of the first line.
  Reading<std::int64_t> number(const std::string& path) const { return number_of(path, ""); }

  /// The number after `key` on the line that starts with it: "MemAvailable: 12 kB", "oom_kill 3".
  Reading<std::int64_t> number_of(const std::string& path, const std::string& key) const;

  /// All lines; none where the file cannot be read.
  std::vector<std::string> lines(const std::string& path) const;

  /// Paths of the entries of `folder` whose names start with `prefix`, sorted.
  std::vector<std::string> entries(const std::string& folder, const std::string& prefix = "") const;

 private:
  std::filesystem::path root_;
};

}  // namespace gpubench
