#include "data/fetch/fetch.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <system_error>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const fs::path& path, int error) {
  throw Error(ErrorKind::kData, "cannot write {}: {}; free some space", path.string(),
              std::generic_category().message(error));
}

/// A zip or compressed tar archive, read front to back.
class ArchiveReader {
 public:
  explicit ArchiveReader(fs::path path)
      : path_(std::move(path)), archive_(archive_read_new(), archive_read_free) {
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_format_tar(archive_.get());
    archive_read_support_format_zip(archive_.get());
    check(archive_read_open_filename(archive_.get(), path_.c_str(), kBlockSize));
  }

  /// Returns the next regular file, or nullptr at the end.
  archive_entry* next() {
    archive_entry* entry = nullptr;
    while (check(archive_read_next_header(archive_.get(), &entry)) != ARCHIVE_EOF) {
      if (archive_entry_filetype(entry) == AE_IFREG) return entry;
    }
    return nullptr;
  }

  /// Unpacks the current file.
  void unpack_to(const fs::path& path, Bytes limit) const {
    std::error_code failure;
    fs::create_directories(path.parent_path(), failure);
    const fs::path draft = path.string() + ".part";
    constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    const FileDescriptor file(open(draft.c_str(), kFlags, 0644));
    if (!file.is_open()) fail_to_write(draft, errno);
    copy_to(file.get(), draft, limit);
    fs::rename(draft, path, failure);
    if (failure) fail_to_write(path, failure.value());
  }

  /// Uses libarchive's message unless `why` is given.
  [[noreturn]] void fail(const std::string& why = "") const {
    const char* const words = why.empty() ? archive_error_string(archive_.get()) : why.c_str();
    throw Error(ErrorKind::kData, "cannot unpack {}: {}; remove it and fetch it again", path_.string(),
                words != nullptr ? words : "it is damaged");
  }

 private:
  static constexpr std::size_t kBlockSize = 65'536;

  void copy_to(int descriptor, const fs::path& path, Bytes limit) const {
    std::vector<std::byte> block(kBlockSize);
    Bytes written;
    for (;;) {
      const la_ssize_t size = archive_read_data(archive_.get(), block.data(), block.size());
      if (size == 0) return;
      if (size < 0) fail();
      written = written + Bytes{size};
      if (written > limit) fail("a file in it is too large");
      if (!write_all(descriptor, std::span(block).first(static_cast<std::size_t>(size))))
        fail_to_write(path, errno);
    }
  }

  int check(int status) const {
    if (status < ARCHIVE_WARN) fail();
    return status;
  }

  fs::path path_;
  std::unique_ptr<archive, decltype(&archive_read_free)> archive_;
};

}  // namespace

void unpack_archive(const fs::path& archive, const fs::path& folder,
                    const std::function<bool(const std::string& path)>& is_wanted, Bytes limit) {
  ArchiveReader reader(archive);
  while (archive_entry* entry = reader.next()) {
    const char* const name = archive_entry_pathname(entry);
    if (name == nullptr || !is_wanted(name)) continue;
    const fs::path member = name;
    const bool leads_up = std::ranges::find(member, fs::path("..")) != member.end();
    if (member.is_absolute() || leads_up) reader.fail("a file in it leads elsewhere");
    reader.unpack_to(folder / member, limit);
  }
}

}  // namespace gpubench
