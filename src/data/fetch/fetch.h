#pragma once
// Files of datasets and of LibTorch: downloaded, unpacked, and read whole before their content is trusted.

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
  std::string address_setting = "GPUBENCH_BASE_URL";                ///< Named in remedies.
  std::string elsewhere = "choose another folder with --data-dir";  ///< Remedy for an unwritable folder.
  std::string checksum_name = "MD5";                                ///< Kind of RemoteFile::checksum.
  std::string (*compute_checksum)(const std::filesystem::path&) = file_md5;
  int tries = 4;
  std::chrono::milliseconds first_pause{200};  ///< Between two tries; doubles after each.
};

/// Returns true if `path` has the size and checksum of `file`.
bool is_intact(const std::filesystem::path& path, const RemoteFile& file, const FetchTerms& terms = {});

/// Downloads `url` to `target` by way of `<target>.part`, which it resumes. Throws a data Error that names
/// the URL without a password; keeps the part unless empty or corrupt. One call at a time for each target.
void download(const RemoteFile& file, const std::string& url, const std::filesystem::path& target,
              const DownloadProgress& progress, const FetchTerms& terms = {});

/// Returns the text at `url`, of `most` bytes at most. Throws as download() does.
std::string read_page(const std::string& url, Bytes most, const FetchTerms& terms);

/// Returns the size that the server states. Throws as download() does, and if there is none.
Bytes remote_size(const std::string& url, const FetchTerms& terms);

/// Makes and locks `folder` while the result lives; the system unlocks it if the process dies. Waits, with a
/// message, for another holder. Throws a data Error if the folder cannot be made or written.
FileDescriptor locked_folder(const std::filesystem::path& folder, const FetchTerms& terms = {});

/// Unpacks the wanted regular files of a tar or zip archive, each at most `limit` bytes, below `folder`,
/// which is made. Files appear only when whole, and replace others. Throws a data Error for a damaged
/// archive, a path that leads out of the folder, and a file that is too large or cannot be written; files
/// before it stay.
void unpack_archive(const std::filesystem::path& archive, const std::filesystem::path& folder,
                    const std::function<bool(const std::string& path)>& is_wanted,
                    Bytes limit = {std::numeric_limits<std::int64_t>::max()});

/// The bytes of a file, and its path for messages about them.
struct RawFile {
  std::filesystem::path path;
  std::vector<std::byte> bytes;

  std::string name() const { return path.filename().string(); }

  /// Throws the data Error "<path> <what>"; load_dataset() adds the remedy.
  [[noreturn]] void reject(const std::string& what) const;
  template <class First, class... More>
  [[noreturn]] void reject(fmt::format_string<First, More...> what, First&& first, More&&... more) const {
    reject(fmt::format(what, std::forward<First>(first), std::forward<More>(more)...));
  }
};

/// Returns false if the file cannot be seen.
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
