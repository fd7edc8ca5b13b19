#include "data/part_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include <fmt/format.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kReadableByAll = 0644;

/// Makes a rename durable. File systems that cannot sync a folder keep the order of operations anyway.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

PartFile::PartFile(fs::path target) : target_(std::move(target)), path_(target_.string() + ".part") {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kReadableByAll);
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) fail();
  size_ = Bytes{status.st_size};
}

PartFile::~PartFile() {
  if (size_ == Bytes{0}) discard();
  ::close(descriptor_);
}

void PartFile::restart() {
  if (size_ == Bytes{0}) return;
  if (::ftruncate(descriptor_, 0) != 0) fail();
  size_ = Bytes{0};
}

void PartFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    size_ = size_ + Bytes{written};
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void PartFile::publish() {
  if (::fsync(descriptor_) != 0) fail();
  if (std::rename(path_.c_str(), target_.c_str()) != 0) fail();
  sync_folder(target_.parent_path());
}

void PartFile::discard() { ::unlink(path_.c_str()); }

void PartFile::fail() const {
  throw Error(ErrorKind::kData,
              fmt::format("cannot write {}: {}; free some space or choose another folder with --data-dir",
                          path_.string(), std::generic_category().message(errno)));
}

}  // namespace gpubench
