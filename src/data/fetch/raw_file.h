#pragma once
// A dataset's file, read whole before its content is trusted, and its origin by checksum.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpubench/dataset.h"

namespace gpubench {

/// The bytes of a file, and its path for messages about them.
struct RawFile {
  std::filesystem::path path;
  std::vector<std::byte> bytes;

  std::string name() const { return path.filename().string(); }

  /// Throws the data Error "<path> <what>"; load_dataset() adds the remedy.
  [[noreturn]] void reject(const std::string& what) const;
  /// Formatted as fmt::format does.
  template <class First, class... More>
  [[noreturn]] void reject(fmt::format_string<First, More...> what, First&& first, More&&... more) const {
    reject(fmt::format(what, std::forward<First>(first), std::forward<More>(more)...));
  }
};

/// Returns false where the file cannot be seen.
bool is_there(const std::filesystem::path& path);

/// Throws a data Error for a missing, empty, irregular or unreadable file, or one larger than `limit`.
RawFile read_raw_file(const std::filesystem::path& path, Bytes limit);

/// Returns targets of one-byte class indices. Rejects `file`, naming the sample, outside [0, classes).
HostArray targets_from(std::span<const std::byte> labels, std::int64_t classes, const RawFile& file);

/// Returns the record of `file`, which is official if it has the checksum of one of `official`.
DataFileRecord describe_file(const RawFile& file, std::span<const RemoteFile> official);

bool is_official(const DatasetRecord& record);

/// Describes differences, "7,500 of 50,000 training samples; not the official files"; empty if none.
std::string provenance_note(const Dataset& dataset, const SplitSizes& official);

}  // namespace gpubench
