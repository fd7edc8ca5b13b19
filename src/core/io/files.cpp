#include "gpubench/core/io/files.h"

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <string>

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kReadableByAll = 0644;
constexpr int kMostLinks = 40;

std::error_code last_error() { return {errno, std::generic_category()}; }

struct Destination {
  fs::path path;  ///< Without a link at its end, unless it is a stream.
  bool is_stream = false;
  std::error_code error{};
};

/// Detects names of open descriptors, which may have no other name.
bool names_descriptor(const fs::path& path) {
  const std::string folder = path.parent_path().string();
  return folder == "/dev/fd" || (folder.starts_with("/proc/") && folder.ends_with("/fd"));
}

Destination find_destination(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  const bool is_usual = !fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status);
  Destination place{path, !is_usual};
  for (int links = 0; !place.is_stream && links < kMostLinks; ++links) {
    place.is_stream = names_descriptor(place.path);
    if (place.is_stream || !fs::is_symlink(place.path, ignored)) return place;
    const fs::path target = fs::read_symlink(place.path, place.error);
    if (place.error) return place;
    place.path = place.path.parent_path() / target;
  }
  if (!place.is_stream) place.error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
  return place;
}

/// A new file beside `target`, never one that somebody else has put there. Gone at the end unless published.
struct Draft {
  explicit Draft(const fs::path& target) {
    constexpr int kMostTries = 1000;  // Processes that were killed may have left some.
    for (int number = 0; !file.is_open() && number < kMostTries; ++number) {
      path = target.string() + "." + std::to_string(getpid()) + "-" + std::to_string(number) + ".part";
      file.reset(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kReadableByAll));
      if (!file.is_open() && errno != EEXIST) break;
    }
  }
  ~Draft() {
    if (file.is_open() && !is_published) unlink(path.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  fs::path path;
  FileDescriptor file;
  bool is_published = false;
};

}  // namespace

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool write_all(int descriptor, std::string_view text) {
  return write_all(descriptor, std::as_bytes(std::span(text)));
}

bool sync_file(int descriptor) {
#ifdef F_FULLFSYNC
  // fsync() of macOS leaves the bytes in the drive's own memory.
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return true;
#endif
  return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;
}

void sync_parent_folder(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const FileDescriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) sync_file(descriptor.get());
}

bool publish(int descriptor, const fs::path& draft, const fs::path& target) {
  if (!sync_file(descriptor) || std::rename(draft.c_str(), target.c_str()) != 0) return false;
  sync_parent_folder(target);
  return true;
}

std::error_code replace_file(const fs::path& path, const FillDraft& fill) {
  Draft draft(path);
  if (!draft.file.is_open() || !fill(draft.file.get(), draft.path)) return last_error();
  draft.is_published = publish(draft.file.get(), draft.path, path);
  return draft.is_published ? std::error_code() : last_error();
}

bool is_stream(const fs::path& path) { return find_destination(path).is_stream; }

std::error_code write_file(const fs::path& path, std::string_view text) {
  const Destination place = find_destination(path);
  if (place.error) return place.error;
  if (!place.is_stream) {
    return replace_file(place.path, [text](int file, const fs::path&) { return write_all(file, text); });
  }
  const FileDescriptor stream(open(place.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY));
  const bool is_written = stream.is_open() && write_all(stream.get(), text) && sync_file(stream.get());
  return is_written ? place.error : last_error();
}

std::error_code check_writable(const fs::path& path) {
  const Destination place = find_destination(path);
  if (place.error) return place.error;
  if (place.is_stream) return access(place.path.c_str(), W_OK) == 0 ? place.error : last_error();
  return Draft(place.path).file.is_open() ? place.error : last_error();
}

}  // namespace gpubench
