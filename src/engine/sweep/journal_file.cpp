#include "engine/sweep/journal_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::kUsage, "journal {}: {}", path.string(), why);
}

void make_parent(const fs::path& path) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error) fail(path, error.message() + "; give --output a folder that you can write to");
}

}  // namespace

JournalText read_lines(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream whole;
  whole << in.rdbuf();
  if (!in) {
    throw Error(ErrorKind::kData, "journal {}: cannot be read ({}); give --resume a journal or its result",
                path.string(), std::strerror(errno));
  }
  const std::string text = whole.str();
  JournalText parts;
  for (std::size_t end; (end = text.find('\n', parts.whole)) != std::string::npos; parts.whole = end + 1) {
    parts.lines.push_back(text.substr(parts.whole, end - parts.whole));
  }
  parts.torn = text.substr(parts.whole);
  return parts;
}

JournalFile::JournalFile(const fs::path& path) : path_(path) {
  make_parent(path);
  file_.reset(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!file_.is_open())
    fail(path, std::string(std::strerror(errno)) + "; give --output a file that you can write");
  if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    fail(path, "another gpubench is writing to it; wait for it, or give another --output");
  }
  sync_folder_of(path);
}

void JournalFile::cut(std::size_t kept) {
  if (!cut_to(kept)) fail(path_, std::strerror(errno));
  size_ = kept;
}

void JournalFile::append(const std::string& line, bool is_synced) {
  pending_ += line + "\n";
  failure_.clear();
  if (!write_pending() || (is_synced && !sync_file(file_.get()))) failure_ = std::strerror(errno);
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
  return ftruncate(file_.get(), end) == 0 && lseek(file_.get(), end, SEEK_SET) == end;
}

}  // namespace gpubench
