#include "engine/sweep/journal_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "gpubench/core/deadline.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/io/outside_file.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestJournal{std::int64_t{4} << 30};  // 10 million epochs have 1 GB.
// A child of a gpubench that was killed shares its lock until it executes a program of its own.
constexpr Seconds kUntilReleased{3};
constexpr std::chrono::milliseconds kBetweenTries{10};

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::kUsage, "journal {}: {}", path.string(), why);
}

void make_parent(const fs::path& path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) fail(path, error.message() + "; give --output a folder that you can write to");
}

/// False where another process keeps it. Where there are no locks it is had without.
bool try_lock(const FileDescriptor& file) {
  const Deadline deadline(kUntilReleased);
  while (flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (deadline.is_over()) return false;
    std::this_thread::sleep_for(kBetweenTries);
  }
  return true;
}

}  // namespace

JournalText read_journal_text(const fs::path& path) {
  Reading<std::string> found = read_outside_file(path, kLargestJournal);
  if (!found.has_value()) {
    throw Error(ErrorKind::kData, "journal {}: {}; give --resume a journal or its result", path.string(),
                found.reason());
  }
  std::string text = std::move(found).value();
  // What a power failure kept from the disk reads as zeros, and lines after these were not synced either.
  const std::size_t last_end = text.rfind('\n', text.find('\0'));
  return {std::move(text), last_end == std::string::npos ? 0 : last_end + 1};
}

JournalFile::JournalFile(const fs::path& path) : path_(path) {
  make_parent(path);
  file_.reset(open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644));
  struct stat status {};
  if (!file_.is_open() || fstat(file_.get(), &status) != 0)
    fail(path, std::string(std::strerror(errno)) + "; give --output a file that you can write");
  if (!S_ISREG(status.st_mode)) fail(path, "is no regular file; give another --output");
  if (!try_lock(file_))
    fail(path, "another gpubench is writing to it; wait for it, or give another --output");
  sync_folder_of(path);
}

void JournalFile::cut(std::size_t kept) {
  if (!cut_to(kept)) fail(path_, std::strerror(errno));
  size_ = kept;
}

void JournalFile::remove_if_empty() const {
  struct stat status {};
  if (fstat(file_.get(), &status) == 0 && status.st_size == 0) unlink(path_.c_str());
}

void JournalFile::append(const std::string& line, bool is_synced) {
  pending_ += line + "\n";
  failure_ = dropped_;
  if (!write_pending()) {
    failure_ = std::strerror(errno);
  } else if (is_synced && !sync_file(file_.get())) {
    failure_ = dropped_ = std::strerror(errno);
  }
}

bool JournalFile::write_pending() {
  if (!write_all(file_.get(), pending_)) {
    const int error = errno;
    cut_to(size_);  // Half a line would make the next one unreadable.
    errno = error;
    return false;
  }
  size_ += pending_.size();
  pending_.clear();
  return true;
}

bool JournalFile::cut_to(std::size_t size) const {
  const auto end = static_cast<off_t>(size);
  // What is there already stays untouched, its time of change as well.
  struct stat status {};
  if (fstat(file_.get(), &status) == 0 && status.st_size == end)
    return lseek(file_.get(), end, SEEK_SET) == end;
  return ftruncate(file_.get(), end) == 0 && lseek(file_.get(), end, SEEK_SET) == end;
}

}  // namespace gpubench
