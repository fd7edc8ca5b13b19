#pragma once
// A dataset's file as it lies on disk, read whole before anything in it is believed.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "gpubench/core/units.h"

namespace gpubench {

/// The bytes of a file, and what a message about them needs.
struct RawFile {
  std::filesystem::path path;
  std::string dataset;  ///< Command-line name, for the remedy.
  std::vector<std::byte> bytes;

  std::string name() const { return path.filename().string(); }

  /// Throws the data Error "<path> <what>; run 'gpubench data fetch <dataset>'".
  [[noreturn]] void reject(const std::string& what) const;
};

/// Whether there is something of that name; false where that cannot be seen.
bool is_there(const std::filesystem::path& path);

/// Reads `path`. Throws a data Error if it is missing, empty, no regular file, not readable, or larger than
/// `limit`, and then reads nothing.
RawFile read_raw_file(const std::filesystem::path& path, const std::string& dataset, Bytes limit);

}  // namespace gpubench
