#pragma once
// Writes files durably; reads files of unknown origin, none of which can hold the program up. Thread-safe.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// Owns a file descriptor; -1 is none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor = -1) : descriptor_(descriptor) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.descriptor_, -1));
    return *this;
  }

  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  void reset(int descriptor = -1) {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = descriptor;
  }

 private:
  int descriptor_;
};

/// Writes all bytes. False leaves errno set; some may be written.
bool write_all(int descriptor, std::span<const std::byte> bytes);
bool write_all(int descriptor, std::string_view text);

/// Waits until the disk has what was written. True for pipes and devices, too. False leaves errno set.
bool sync_file(int descriptor);

/// Syncs the open file `draft` and renames it to `target`. False leaves errno set.
bool publish(int descriptor, const std::filesystem::path& draft, const std::filesystem::path& target);

/// Writes a new file, open as `descriptor` and called `draft`. False leaves errno set.
using FillDraft = std::function<bool(int descriptor, const std::filesystem::path& draft)>;

/// Replaces `path` by a file that `fill` writes. It keeps its content until all of the new is written.
std::error_code replace_file(const std::filesystem::path& path, const FillDraft& fill);

/// Returns true for a pipe, a device, a descriptor of this process (/dev/stdout), or a link to one.
bool is_stream(const std::filesystem::path& path);

/// Writes `text` to a stream, or else as replace_file() does. Follows links. Waits for a pipe's reader.
std::error_code write_file(const std::filesystem::path& path, std::string_view text);

/// Returns the error that write_file() would probably have. Changes nothing.
std::error_code check_writable(const std::filesystem::path& path);

enum class Owner {
  kAnybody,
  kThisUser,  ///< Or root. The file is no link, and nobody else may write to it.
};

struct OutsideFile {
  FileDescriptor file;  ///< At its beginning.
  Bytes size;
};

/// Opens a regular file of at most `most`. Else missing, with the rest of a sentence: "is no regular file".
/// Waits neither for the other end of a pipe nor for a device.
Measured<OutsideFile> open_outside_file(const std::filesystem::path& path, Bytes most,
                                        Owner owner = Owner::kAnybody);

/// Fills `bytes` from the file. False if it has less, or cannot be read.
bool read_all(int descriptor, std::span<std::byte> bytes);

/// Reads such a file; missing, too, if it became shorter meanwhile.
Measured<std::string> read_outside_file(const std::filesystem::path& path, Bytes most,
                                        Owner owner = Owner::kAnybody);

/// Reads small files below `root`, "/" except in tests, by absolute paths: "/proc/stat". Never throws.
class HostFiles {
 public:
  explicit HostFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// Returns the rest of the first line that starts with `key`, without blanks at its ends.
  Measured<std::string> line(const std::string& path, const std::string& key = "") const;

  /// Returns the number after `key` at the start of a line: "MemAvailable: 12 kB", "oom_kill 3".
  Measured<std::int64_t> number(const std::string& path, const std::string& key = "") const;

  /// Returns all lines; none if the file cannot be read.
  std::vector<std::string> lines(const std::string& path) const;

  /// Returns the sorted paths of the entries of `folder` whose names start with `prefix`.
  std::vector<std::string> entries(const std::string& folder, const std::string& prefix = "") const;

 private:
  std::filesystem::path root_;
};

/// Returns ${XDG_CONFIG_HOME:-~/.config}/gpubench; empty if neither variable is set.
std::filesystem::path config_folder();

/// Returns ${XDG_CACHE_HOME:-~/.cache}/gpubench; empty if neither variable is set.
std::filesystem::path cache_folder();

/// Returns ${XDG_STATE_HOME:-~/.local/state}/gpubench; empty if neither variable is set.
std::filesystem::path state_folder();

/// Returns the kind of the network file system that `folder` lies on: "nfs"; empty for a local one.
std::string network_file_system(const std::filesystem::path& folder);

}  // namespace gpubench
