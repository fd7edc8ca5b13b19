#pragma once
// A file that is written beside its final name and takes that name only when it is whole.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "gpubench/core/io/files.h"
#include "gpubench/core/units.h"

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

}  // namespace gpubench
