#include "gpubench/core/io/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#ifdef __APPLE__
#include <sys/mount.h>
#else
#include <sys/vfs.h>
#endif

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kReadableByAll = 0644;
constexpr int kMostLinks = 40;

std::error_code last_error() { return {errno, std::generic_category()}; }

struct Destination {
  fs::path path;  ///< With links at its end resolved, unless it is a stream.
  bool is_stream = false;
  std::error_code error{};
};

/// Returns true for the name of an open descriptor, whose file may have no other name.
bool names_descriptor(const fs::path& path) {
  const std::string folder = path.parent_path().string();
  return folder == "/dev/fd" || (folder.starts_with("/proc/") && folder.ends_with("/fd"));
}

Destination find_destination(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  const bool is_usual = !fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status);
  Destination place{path, !is_usual};
  for (int links = 0; links < kMostLinks; ++links) {
    place.is_stream = place.is_stream || names_descriptor(place.path);
    if (place.is_stream || !fs::is_symlink(place.path, ignored)) return place;
    const fs::path target = fs::read_symlink(place.path, place.error);
    if (place.error) return place;
    place.path = place.path.parent_path() / target;
  }
  place.error = std::make_error_code(std::errc::too_many_symbolic_link_levels);
  return place;
}

/// New file beside `target`, created exclusively. The destructor removes it unless it was published.
struct Draft {
  explicit Draft(const fs::path& target) {
    constexpr int kMostTries = 1000;  // Killed processes may have left drafts.
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

Missing unreadable() {
  if (errno == ENOENT || errno == ENOTDIR) return missing("cannot be read: no such file");
  if (errno == ENXIO) return missing("is not a regular file");  // A socket.
  return missing("cannot be read: {}", std::strerror(errno));
}

/// Returns an empty path if the variable is unset or, as the XDG specification demands, a relative path.
fs::path folder_in(const char* variable) {
  fs::path folder = read_variable(variable);
  return folder.is_absolute() ? folder : fs::path();
}

/// Returns gpubench's folder in $`variable`, or in ~/`usual` if that is unset.
fs::path own_folder(const char* variable, const char* usual) {
  if (const fs::path folder = folder_in(variable); !folder.empty()) return folder / "gpubench";
  const fs::path home = folder_in("HOME");
  return home.empty() ? home : home / usual / "gpubench";
}

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
  // On macOS, fsync() leaves the data in the drive's cache.
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return true;
#endif
  return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;
}

bool publish(int descriptor, const fs::path& draft, const fs::path& target) {
  if (!sync_file(descriptor) || std::rename(draft.c_str(), target.c_str()) != 0) return false;
  // Without a sync of the folder a power failure may undo the renaming.
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  const FileDescriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) sync_file(opened.get());
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

Measured<UntrustedFile> open_untrusted_file(const fs::path& path, Bytes most, Owner owner) {
  // Without O_NONBLOCK, opening a pipe without a writer blocks.
  const int links = owner == Owner::kThisUser ? O_NOFOLLOW : 0;
  UntrustedFile outside{
      FileDescriptor(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | links)), {}};
  struct stat facts {};
  if (!outside.file.is_open() || fstat(outside.file.get(), &facts) != 0) return unreadable();
  if (S_ISDIR(facts.st_mode)) return missing("is a folder, not a file");
  if (!S_ISREG(facts.st_mode)) return missing("is not a regular file");
  const bool is_trusted = facts.st_uid == geteuid() || facts.st_uid == 0;
  if (owner == Owner::kThisUser && (!is_trusted || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0))
    return missing("is writable by other users");
  if (facts.st_size > most.value) {
    return missing("is too large: {} bytes, at most {} are supported", facts.st_size, most.value);
  }
  outside.size = {facts.st_size};
  return outside;
}

bool read_all(int descriptor, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = read(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

Measured<std::string> read_untrusted_file(const fs::path& path, Bytes most, Owner owner) {
  const Measured<UntrustedFile> outside = open_untrusted_file(path, most, owner);
  if (!outside.has_value()) return outside.why();
  std::string text(static_cast<std::size_t>(outside.value().size.value), '\0');
  errno = 0;
  if (read_all(outside.value().file.get(), std::as_writable_bytes(std::span(text)))) return text;
  return errno == 0 ? missing("was truncated while it was read") : unreadable();
}

std::vector<std::string> HostFiles::lines(const std::string& path) const {
  std::ifstream in(root_ / fs::path(path).relative_path());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

Measured<std::string> HostFiles::line(const std::string& path, const std::string& key) const {
  const std::vector<std::string> all = lines(path);
  if (all.empty()) return missing("cannot read " + path);
  for (const std::string& line : all) {
    if (line.starts_with(key)) return std::string(trimmed(std::string_view(line).substr(key.size())));
  }
  return missing("no '{}' in {}", key, path);
}

Measured<std::int64_t> HostFiles::number(const std::string& path, const std::string& key) const {
  return line(path, key).then([&](const std::string& text) -> Measured<std::int64_t> {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return missing("no number in " + path);
    return number;
  });
}

std::vector<std::string> HostFiles::entries(const std::string& folder, const std::string& prefix) const {
  std::vector<std::string> paths;
  std::error_code ignored;
  fs::directory_iterator entry(root_ / fs::path(folder).relative_path(), ignored);
  for (; !ignored && entry != fs::directory_iterator(); entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix)) paths.push_back(folder + "/" + name);
  }
  std::ranges::sort(paths);
  return paths;
}

std::string read_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path config_folder() { return own_folder("XDG_CONFIG_HOME", ".config"); }

fs::path cache_folder() { return own_folder("XDG_CACHE_HOME", ".cache"); }

fs::path state_folder() { return own_folder("XDG_STATE_HOME", ".local/state"); }

std::string network_file_system(const fs::path& folder) {
  struct statfs facts {};
  if (statfs(folder.c_str(), &facts) != 0) return {};
#ifdef __APPLE__
  return (facts.f_flags & MNT_LOCAL) != 0 ? "" : facts.f_fstypename;
#else
  // Numbers from linux/magic.h and from the sources of the file systems.
  constexpr std::pair<std::uint32_t, const char*> kKinds[] = {
      {0x6969, "nfs"},        {0x517B, "smb"},      {0xFE534D42, "smb2"},   {0xFF534D42, "cifs"},
      {0x5346414F, "afs"},    {0x00C36400, "ceph"}, {0x0BD00BD0, "lustre"}, {0x47504653, "gpfs"},
      {0x19830326, "beegfs"}, {0x01021997, "9p"},   {0x65735546, "fuse"}};
  const auto kind = static_cast<std::uint32_t>(facts.f_type);
  const auto* const found = std::ranges::find(kKinds, kind, [](const auto& one) { return one.first; });
  return found == std::end(kKinds) ? "" : found->second;
#endif
}

}  // namespace gpubench
