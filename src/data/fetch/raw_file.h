#pragma once
// A dataset's file as it lies on disk, read whole before anything in it is believed; and where it came from,
// as far as its checksum tells.

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

/// Whether there is something of that name; false where that cannot be seen.
bool is_there(const std::filesystem::path& path);

/// Reads `path`. Throws a data Error if it is missing, empty, no regular file, not readable, or larger than
/// `limit`, and then reads nothing.
RawFile read_raw_file(const std::filesystem::path& path, Bytes limit);

/// Targets of the samples that `labels` belong to: class indices as files store them, one byte each. Rejects
/// `file`, naming the sample, where one is not in [0, classes).
HostArray targets_from(std::span<const std::byte> labels, std::int64_t classes, const RawFile& file);

/// What the record says about `file`. `official` lists the publisher's files under the names that they have
/// on disk.
DataFileRecord describe_file(const RawFile& file, std::span<const RemoteFile> official);

/// Whether every file is known to be the publisher's.
bool is_official(const DatasetRecord& record);

/// In what `dataset` differs from the official one, e.g. "7,500 of 50,000 training samples; not the official
/// files". Empty where it does not.
std::string provenance_note(const Dataset& dataset, const SplitSizes& official);

}  // namespace gpubench
