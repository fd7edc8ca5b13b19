#pragma once
// Downloads, unpacks and checks files of datasets and of LibTorch.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/units.h"
#include "gpubench/dataset.h"

namespace gpubench {

struct FetchTerms {
  std::string address_setting = "GPUBENCH_BASE_URL";                ///< Setting of the URL, for messages.
  std::string elsewhere = "choose another folder with --data-dir";  ///< Remedy for an unwritable folder.
  std::string checksum_name = "MD5";                                ///< Algorithm of RemoteFile::checksum.
  std::string (*compute_checksum)(const std::filesystem::path&) = file_md5;
  int tries = 4;
  std::chrono::milliseconds first_pause{200};  ///< Pause before the second try; doubles for each further try.
};

/// Returns true if `path` has the size and checksum of `file`.
bool is_intact(const std::filesystem::path& path, const RemoteFile& file, const FetchTerms& terms = {});

/// Downloads `url` to `target` through `<target>.part`, which it resumes, and keeps on failure unless empty
/// or corrupt. Throws a data Error with the URL, without passwords. Allows one call at a time per target.
void download(const RemoteFile& file, const std::string& url, const std::filesystem::path& target,
              const DownloadProgress& progress, const FetchTerms& terms = {});

/// Returns the text at `url`, which must not exceed `limit`. Throws like download().
std::string read_page(const std::string& url, Bytes limit, const FetchTerms& terms);

/// Returns the size that the server reports. Throws like download(), and if the size is missing.
Bytes remote_size(const std::string& url, const FetchTerms& terms);

/// Creates `folder` and locks it until the result is destroyed or the process ends. Prints a message if it
/// waits for another process. Throws a data Error if the folder cannot be created or written.
FileDescriptor locked_folder(const std::filesystem::path& folder, const FetchTerms& terms = {});

/// Unpacks the wanted regular files of a tar or zip archive below `folder`, which it creates. Files appear
/// when complete, and replace existing ones. Throws a data Error for a damaged archive, a path outside of the
/// folder, a file above `limit`, and a failure to write; files unpacked before remain.
void unpack_archive(const std::filesystem::path& archive, const std::filesystem::path& folder,
                    const std::function<bool(const std::string& path)>& is_wanted,
                    Bytes limit = {std::numeric_limits<std::int64_t>::max()});

/// Content of a file, with its path for messages.
struct RawFile {
  std::filesystem::path path;
  std::vector<std::byte> bytes;

  std::string name() const { return path.filename().string(); }

  /// Throws a data Error "<path> <what>"; load_dataset() adds the remedy.
  [[noreturn]] void reject(const std::string& what) const;
  template <class First, class... More>
  [[noreturn]] void reject(fmt::format_string<First, More...> what, First&& first, More&&... more) const {
    reject(fmt::format(what, std::forward<First>(first), std::forward<More>(more)...));
  }
};

/// Returns true if `path` exists, false on errors.
bool file_exists(const std::filesystem::path& path);

/// Reads a file. Throws a data Error if it is missing, empty, not regular, unreadable or larger than `limit`.
RawFile read_raw_file(const std::filesystem::path& path, Bytes limit);

/// Converts one-byte labels to targets. Rejects `file` for labels outside [0, classes).
HostArray targets_from(std::span<const std::byte> labels, std::int64_t classes, const RawFile& file);

/// Returns the record of `file`: official if its checksum is among `official`.
DataFileRecord describe_file(const RawFile& file, std::span<const RemoteFile> official);

bool is_official(const DatasetRecord& record);

/// Describes differences from the official files, such as "7,500 of 50,000 training samples"; empty if none.
std::string provenance_note(const Dataset& dataset, const SplitSizes& official);

}  // namespace gpubench
