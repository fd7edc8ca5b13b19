#include "data/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& folder, const std::string& reason) {
  throw Error(ErrorKind::kData, fmt::format("cannot write to {}: {}; choose another folder with --data-dir",
                                            folder.string(), reason));
}

int lock(int descriptor) {
  int status = 0;
  do {
    status = ::flock(descriptor, LOCK_EX);
  } while (status != 0 && errno == EINTR);
  return status;
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) fail(folder, failure.message());
  // A file of its own: a lock on the part file would follow that file to its final name.
  descriptor_ = ::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail(folder, std::generic_category().message(errno));
  if (lock(descriptor_) == 0) return;
  const int reason = errno;
  ::close(descriptor_);
  fail(folder, std::generic_category().message(reason));
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace gpubench
