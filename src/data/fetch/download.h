#pragma once
// Files over HTTP: resumed, checked, and visible under their name only when they are complete.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/units.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// `<target>.part`. It stays behind unless empty, published or discarded, so that a later process can go on
/// with it. Not thread-safe; one process at a time (see fetch.cpp). Every failure to write is a data Error.
class PartFile {
 public:
  static constexpr const char* kOtherDataFolder = "choose another folder with --data-dir";

  /// Opens the file; what an earlier process left in it is kept. `elsewhere` is the remedy where there is no
  /// room.
  explicit PartFile(std::filesystem::path target, std::string elsewhere = kOtherDataFolder);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  Bytes size() const { return size_; }

  /// Empties the file.
  void restart();
  void append(std::span<const std::byte> bytes);
  /// Makes the bytes durable and moves the file to its final name, replacing what is there.
  void publish();
  /// Removes the file.
  void discard();

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path target_;
  std::filesystem::path path_;
  std::string elsewhere_;
  FileDescriptor file_;
  Bytes size_;
};

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
  std::string (*compute_checksum)(const std::filesystem::path&) = md5_of_file;
};

/// Whether `path` is `file`, by size and checksum.
bool is_intact(const std::filesystem::path& path, const RemoteFile& file, const FetchTerms& terms = {});

/// Downloads `url`, which is `file`, to `target` by way of `<target>.part`, going on where that one ends.
/// Throws a data Error that names the URL, without a password; the part stays for the next call unless its
/// checksum was wrong.
void download(const RemoteFile& file, const std::string& url, const std::filesystem::path& target,
              const RetryPolicy& policy, const DownloadProgress& progress, const FetchTerms& terms = {});

}  // namespace gpubench
