#include "data/fetch/part_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"

namespace gpubench {

PartFile::PartFile(std::filesystem::path target, std::string elsewhere)
    : target_(std::move(target)), path_(target_.string() + ".part"), elsewhere_(std::move(elsewhere)) {
  // What somebody else has put there, a link or a pipe, is no part that an earlier process left.
  constexpr mode_t kReadableByAll = 0644;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  file_.reset(open(path_.c_str(), kFlags, kReadableByAll));
  struct stat status {};
  if (!file_.is_open() || fstat(file_.get(), &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode)) fail(EINVAL);
  size_ = Bytes{status.st_size};
}

PartFile::~PartFile() {
  if (size_ == Bytes{0}) discard();
}

void PartFile::restart() {
  if (size_ == Bytes{0}) return;
  if (ftruncate(file_.get(), 0) != 0) fail(errno);
  size_ = Bytes{0};
}

void PartFile::append(std::span<const std::byte> bytes) {
  if (!write_all(file_.get(), bytes)) fail(errno);
  size_ = size_ + Bytes{std::ssize(bytes)};
}

void PartFile::publish() {
  if (!gpubench::publish(file_.get(), path_, target_)) fail(errno);
}

void PartFile::discard() { unlink(path_.c_str()); }

void PartFile::fail(int error) const {
  throw Error(ErrorKind::kData, "cannot write {}: {}; free some space or {}", path_.string(),
              std::generic_category().message(error), elsewhere_);
}

}  // namespace gpubench
