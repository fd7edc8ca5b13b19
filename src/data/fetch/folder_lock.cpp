#include "data/fetch/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

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
  file_.reset(open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file_.is_open() || lock(file_.get()) != 0) fail(folder, std::generic_category().message(errno));
}

}  // namespace gpubench
