#include "data/fetch/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <system_error>
#include <thread>

#include "gpubench/core/clock.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kBetweenTries{50};
constexpr Seconds kUntilMessage{1};  // Who holds it for a moment only is not worth one.

/// A folder to be locked, and what to do where that cannot be.
struct Place {
  const fs::path& folder;
  const std::string& elsewhere;

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorKind::kData, "cannot write to {}: {}; {}", folder.string(), reason, elsewhere);
  }
};

/// A file of its own: a lock on the part file would follow that file to its final name. What somebody else
/// has put there, a link or a pipe, is none.
FileDescriptor open_lock(const Place& place) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  FileDescriptor file(open((place.folder / ".lock").c_str(), kFlags, 0644));
  struct stat status {};
  if (!file.is_open() || fstat(file.get(), &status) != 0) place.fail(std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode)) place.fail(".lock is no regular file");
  return file;
}

bool try_lock(const FileDescriptor& file, const Place& place) {
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK && errno != EINTR) place.fail(std::generic_category().message(errno));
  return false;
}

/// For those who wait; that it is missing is no reason to fail.
void sign(const FileDescriptor& file) {
  const std::string process = std::to_string(getpid());
  if (ftruncate(file.get(), 0) == 0) write_all(file.get(), process);
}

/// "process 1234", as far as the file tells.
std::string find_holder(const FileDescriptor& file) {
  std::array<char, 16> digits{};
  const ssize_t count = pread(file.get(), digits.data(), digits.size(), 0);
  std::string number(digits.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  number.resize(std::min(number.size(), number.find_first_not_of("0123456789")));
  return number.empty() ? "another process" : "process " + number;
}

/// Bytes in the folder: they grow while somebody downloads or unpacks.
std::uintmax_t content_size(const fs::path& folder) {
  std::uintmax_t total = 0;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code unknown;
    if (const std::uintmax_t size = fs::file_size(entry->path(), unknown); !unknown) total += size;
  }
  return total;
}

/// Waits for another process, whose work shows in the folder.
class SamplingPolicy {
 public:
  SamplingPolicy(const Place& place, const FileDescriptor& file, Seconds most)
      : place_(place), file_(file), most_(most) {}

  /// Throws once nothing has changed for too long.
  void wait() {
    if (message_.is_over() && !is_told_) tell();
    if (const std::uintmax_t size = content_size(place_.folder); size != size_) {
      size_ = size;
      quiet_ = Deadline(most_);
    }
    if (quiet_.is_over())
      throw Error(ErrorKind::kData, "{}: {} holds it and does nothing; end that one, or {}",
                  (place_.folder / ".lock").string(), find_holder(file_), place_.elsewhere);
    std::this_thread::sleep_for(kBetweenTries);
  }

 private:
  void tell() {
    is_told_ = true;
    log_info("waiting for {}, which fills {}", find_holder(file_), place_.folder.string());
  }

  const Place& place_;
  const FileDescriptor& file_;
  Seconds most_;
  Deadline message_{kUntilMessage};
  Deadline quiet_{most_};
  std::uintmax_t size_ = 0;
  bool is_told_ = false;
};

}  // namespace

FileDescriptor locked_folder(const fs::path& folder, Seconds patience, const std::string& elsewhere) {
  const Place place{folder, elsewhere};
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) place.fail(failure.message());
  FileDescriptor file = open_lock(place);
  for (SamplingPolicy others(place, file, patience); !try_lock(file, place);) others.wait();
  sign(file);
  return file;
}

}  // namespace gpubench
