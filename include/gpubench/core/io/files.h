#pragma once
// How bytes reach the disk, for all that write files. Errors are those of the system: who calls knows the
// option that named the file, and the remedy.

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace gpubench {

/// Owns a file descriptor, and closes it; -1 holds nothing.
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

/// Writes all of it, however many calls that takes. False leaves errno set; part of it may be written.
bool write_all(int descriptor, std::span<const std::byte> bytes);
bool write_all(int descriptor, std::string_view text);

/// Returns when the disk has what was written. True as well for pipes and devices, which have no disk. False
/// leaves errno set.
bool sync_file(int descriptor);

/// After a power failure a file that was made or renamed is found only where its folder was synced as well.
/// File systems that cannot do that keep the order of operations anyway.
void sync_parent_folder(const std::filesystem::path& path);

/// Syncs the file that is open, and gives it the name `target` instead of `draft`, for good. False leaves
/// errno set.
bool publish(int descriptor, const std::filesystem::path& draft, const std::filesystem::path& target);

/// Fills a file that was made for it, open as `descriptor` and called `draft`. False leaves errno set.
using FillDraft = std::function<bool(int descriptor, const std::filesystem::path& draft)>;

/// Has `fill` write a new file beside `path` and moves it there once it is whole and on the disk: whatever
/// happens, `path` has its former content or all of the new. The draft is of this call alone; none stays.
std::error_code replace_file(const std::filesystem::path& path, const FillDraft& fill);

/// Whether `path` exists and is written in place, once and in order: a pipe, a device, a descriptor of this
/// process (/dev/stdout), or a link to one.
bool is_stream(const std::filesystem::path& path);

/// Puts `text` into what `path` names: into a stream as it is, else as replace_file() does. Symbolic links
/// are followed, and stay. A pipe is waited for until somebody reads it.
std::error_code write_file(const std::filesystem::path& path, std::string_view text);

/// What write_file() would fail with, as far as that can be known without a change.
std::error_code check_writable(const std::filesystem::path& path);

}  // namespace gpubench
