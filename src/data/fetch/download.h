#pragma once
// Files over HTTP: resumed, checked, and visible only when complete; and the lock of their folder.

#include <chrono>
#include <filesystem>
#include <string>

#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/units.h"
#include "gpubench/dataset.h"

namespace gpubench {

struct FetchTerms {
  std::string address_setting = "GPUBENCH_BASE_URL";                ///< Named in remedies.
  std::string elsewhere = "choose another folder with --data-dir";  ///< Remedy where a folder takes no file.
  std::string checksum_name = "MD5";                                ///< Kind of RemoteFile::checksum.
  std::string (*compute_checksum)(const std::filesystem::path&) = md5_of_file;
  int tries = 4;
  std::chrono::milliseconds first_pause{200};  ///< Between two tries; doubles after each.
};

/// Returns whether `path` has the size and checksum of `file`.
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

}  // namespace gpubench
