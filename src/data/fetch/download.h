#pragma once
// One file over HTTP: resumed, checked, and only then visible under its name.

#include <chrono>
#include <filesystem>
#include <string>

#include "gpubench/core/io/digest.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// How stubborn a download is. The pause doubles after each try.
struct RetryPolicy {
  int tries = 4;
  std::chrono::milliseconds first_pause{200};
};

/// What differs between those who download.
struct FetchTerms {
  std::string address_option = "--base-url";                        ///< Named in remedies.
  std::string elsewhere = "choose another folder with --data-dir";  ///< Where there is no room.
  /// What RemoteFile::checksum is.
  std::string checksum_name = "MD5";
  std::string (*checksum_of)(const std::filesystem::path&) = md5_of_file;
};

/// Whether `path` is `file`, by size and checksum.
bool is_intact(const std::filesystem::path& path, const RemoteFile& file, const FetchTerms& terms = {});

/// Downloads `url`, which is `file`, to `target` by way of `<target>.part`, going on where that one ends.
/// Throws a data Error that names the URL, without a password; the part stays for the next call unless its
/// checksum was wrong.
void download(const RemoteFile& file, const std::string& url, const std::filesystem::path& target,
              const RetryPolicy& policy, const DownloadProgress& progress, const FetchTerms& terms = {});

}  // namespace gpubench
