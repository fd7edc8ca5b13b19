#pragma once
// Files that anybody may have written: opened so that none of them can hold the program up, and read only as
// far as what they are to be allows. Stateless, hence safe to call from several threads.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gpubench/core/io/files.h"
#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"

namespace gpubench {

enum class Owner {
  kAnybody,
  kThisUser,  ///< Or root: what this program keeps for itself. It is no link, and nobody else may write to
              ///< it.
};

struct OutsideFile {
  FileDescriptor file;  ///< At its beginning.
  Bytes size;
};

/// Opens a regular file that has `most` at most. Missing for anything else, with the rest of a sentence about
/// it: "is no regular file". Waits neither for the other end of a pipe nor for a device.
Measured<OutsideFile> open_outside_file(const std::filesystem::path& path, Bytes most,
                                        Owner owner = Owner::kAnybody);

/// Fills `bytes` with what comes next in the file. False where that is less, or cannot be read.
bool read_all(int descriptor, std::span<std::byte> bytes);

/// The text of such a file; absent as well where it became shorter meanwhile.
Measured<std::string> read_outside_file(const std::filesystem::path& path, Bytes most,
                                        Owner owner = Owner::kAnybody);

/// Files below `root`, which is "/" but in tests. Paths are absolute: "/proc/stat". Nothing here throws:
/// sysfs has files that exist and cannot be read.
class HostFiles {
 public:
  explicit HostFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// The first line; absent, with the path, where there is none.
  Measured<std::string> line(const std::string& path) const { return read_line(path, ""); }

  /// The rest of the first line that starts with `key`, blanks at its ends left out.
  Measured<std::string> read_line(const std::string& path, const std::string& key) const;

  /// The number at the start of the first line.
  Measured<std::int64_t> number(const std::string& path) const { return read_number(path, ""); }

  /// The number after `key` on the line that starts with it: "MemAvailable: 12 kB", "oom_kill 3".
  Measured<std::int64_t> read_number(const std::string& path, const std::string& key) const;

  /// All lines; none where the file cannot be read.
  std::vector<std::string> lines(const std::string& path) const;

  /// Paths of the entries of `folder` whose names start with `prefix`, sorted.
  std::vector<std::string> entries(const std::string& folder, const std::string& prefix = "") const;

 private:
  std::filesystem::path root_;
};

}  // namespace gpubench
