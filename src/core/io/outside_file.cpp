#include "gpubench/core/io/outside_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

Missing unreadable() {
  if (errno == ENOENT || errno == ENOTDIR) return missing("cannot be read: there is no such file");
  if (errno == ENXIO) return missing("is no regular file");  // A socket, which cannot be opened at all.
  return missing("cannot be read: {}", std::strerror(errno));
}

/// Returns true if nobody but this user, or root, can have written it.
bool is_own(const struct stat& facts) {
  const bool is_trusted = facts.st_uid == geteuid() || facts.st_uid == 0;
  return is_trusted && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

Measured<OutsideFile> open_outside_file(const std::filesystem::path& path, Bytes most, Owner owner) {
  // Without O_NONBLOCK a pipe without a writer holds up whoever opens it.
  const int links = owner == Owner::kThisUser ? O_NOFOLLOW : 0;
  OutsideFile outside{
      FileDescriptor(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | links)), {}};
  struct stat facts {};
  if (!outside.file.is_open() || fstat(outside.file.get(), &facts) != 0) return unreadable();
  if (S_ISDIR(facts.st_mode)) return missing("is a folder, not a file");
  if (!S_ISREG(facts.st_mode)) return missing("is no regular file");
  if (owner == Owner::kThisUser && !is_own(facts)) return missing("can be written by others");
  if (facts.st_size > most.value) {
    return missing("is too large: it has {} bytes, and at most {} are read", facts.st_size, most.value);
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

Measured<std::string> read_outside_file(const std::filesystem::path& path, Bytes most, Owner owner) {
  const Measured<OutsideFile> outside = open_outside_file(path, most, owner);
  if (!outside.has_value()) return outside.why();
  std::string text(static_cast<std::size_t>(outside.value().size.value), '\0');
  errno = 0;
  if (read_all(outside.value().file.get(), std::as_writable_bytes(std::span(text)))) return text;
  return errno == 0 ? missing("became shorter while it was read") : unreadable();
}

std::vector<std::string> HostFiles::lines(const std::string& path) const {
  std::ifstream in(root_ / std::filesystem::path(path).relative_path());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

Measured<std::string> HostFiles::read_line(const std::string& path, const std::string& key) const {
  const std::vector<std::string> all = lines(path);
  if (all.empty()) return missing("cannot read " + path);
  for (const std::string& line : all) {
    if (line.starts_with(key)) return std::string(trimmed(std::string_view(line).substr(key.size())));
  }
  return missing("no '{}' in {}", key, path);
}

Measured<std::int64_t> HostFiles::read_number(const std::string& path, const std::string& key) const {
  return read_line(path, key).then([&](const std::string& text) -> Measured<std::int64_t> {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return missing("no number in " + path);
    return number;
  });
}

std::vector<std::string> HostFiles::entries(const std::string& folder, const std::string& prefix) const {
  std::vector<std::string> paths;
  std::error_code ignored;
  std::filesystem::directory_iterator entry(root_ / std::filesystem::path(folder).relative_path(), ignored);
  for (; !ignored && entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(prefix)) paths.push_back(folder + "/" + name);
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace gpubench
