#pragma once
// Durable writes, and reads of untrusted files that never block the program. Thread-safe.

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

/// Owner of a file descriptor; -1 if closed.
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

/// Writes all bytes. On failure returns false and sets errno; a part may be written.
bool write_all(int descriptor, std::span<const std::byte> bytes);
bool write_all(int descriptor, std::string_view text);

/// Waits until written data is on disk. Succeeds for pipes and devices. On failure sets errno.
bool sync_file(int descriptor);

/// Syncs the open file `draft` and renames it to `target`. On failure returns false and sets errno.
bool publish(int descriptor, const std::filesystem::path& draft, const std::filesystem::path& target);

/// Fills the new file `draft`, open as `descriptor`. On failure returns false and sets errno.
using FillDraft = std::function<bool(int descriptor, const std::filesystem::path& draft)>;

/// Replaces `path` atomically with the content that `fill` writes.
std::error_code replace_file(const std::filesystem::path& path, const FillDraft& fill);

/// Returns true for a pipe, a device, /dev/stdout and the like, and links to them.
bool is_stream(const std::filesystem::path& path);

/// Writes `text` to a stream, or replaces a file by replace_file(). Follows links. Waits for a pipe's reader.
std::error_code write_file(const std::filesystem::path& path, std::string_view text);

/// Predicts the error of write_file(), without writing.
std::error_code check_writable(const std::filesystem::path& path);

enum class Owner {
  kAnybody,
  kThisUser,  ///< This user or root owns the file; it is not a link, and no other user can write it.
};

struct UntrustedFile {
  FileDescriptor file;
  Bytes size;
};

/// Opens a regular file of at most `most` bytes, without blocking on pipes or devices. A failure's reason
/// completes a sentence that starts with the path.
Measured<UntrustedFile> open_untrusted_file(const std::filesystem::path& path, Bytes most,
                                            Owner owner = Owner::kAnybody);

/// Fills `bytes` from the file. Returns false if the file is shorter or cannot be read.
bool read_all(int descriptor, std::span<std::byte> bytes);

/// Reads a file that open_untrusted_file() opens. Missing if it shrinks while being read.
Measured<std::string> read_untrusted_file(const std::filesystem::path& path, Bytes most,
                                          Owner owner = Owner::kAnybody);

/// Reader of small kernel files by absolute path, such as "/proc/stat". Tests set `root`. Never throws.
class HostFiles {
 public:
  explicit HostFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// Returns the trimmed rest of the first line that starts with `key`.
  Measured<std::string> line(const std::string& path, const std::string& key = "") const;

  /// Returns the number after `key` at the start of a line, such as "MemAvailable: 12 kB" or "oom_kill 3".
  Measured<std::int64_t> number(const std::string& path, const std::string& key = "") const;

  /// Returns all lines; empty if the file cannot be read.
  std::vector<std::string> lines(const std::string& path) const;

  /// Returns the sorted paths of the entries of `folder` whose names start with `prefix`.
  std::vector<std::string> entries(const std::string& folder, const std::string& prefix = "") const;

 private:
  std::filesystem::path root_;
};

/// Returns the value of an environment variable; empty if unset.
std::string read_variable(const char* name);

/// Returns ${XDG_CONFIG_HOME:-~/.config}/gpubench; empty if neither variable is set.
std::filesystem::path config_folder();

/// Returns ${XDG_CACHE_HOME:-~/.cache}/gpubench; empty if neither variable is set.
std::filesystem::path cache_folder();

/// Returns ${XDG_STATE_HOME:-~/.local/state}/gpubench; empty if neither variable is set.
std::filesystem::path state_folder();

/// Returns the type of the network file system that contains `folder`, such as "nfs"; empty if it is local.
std::string network_file_system(const std::filesystem::path& folder);

}  // namespace gpubench
