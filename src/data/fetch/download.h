#pragma once
// One file over HTTP: resumed, checked, and only then visible under its name.

#include <chrono>
#include <filesystem>
#include <string>

#include "gpubench/dataset.h"

namespace gpubench {

/// How stubborn a download is. The pause doubles after each try.
struct RetryPolicy {
  int tries = 4;
  std::chrono::milliseconds first_pause{200};
};

/// Whether `path` is `file`, by size and checksum.
bool is_intact(const std::filesystem::path& path, const RemoteFile& file);

/// Downloads `url`, which is `file`, to `target` by way of `<target>.part`, going on where that one ends.
/// Throws a data Error that names the URL, without a password; the part stays for the next call unless its
/// checksum was wrong.
void download(const RemoteFile& file, const std::string& url, const std::filesystem::path& target,
              const RetryPolicy& policy, const DownloadProgress& progress);

}  // namespace gpubench
