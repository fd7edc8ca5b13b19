#include "data/fetch/archive.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

#include "data/fetch/part_file.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

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

  /// The next regular file, or nullptr at the end.
  archive_entry* next() {
    archive_entry* entry = nullptr;
    while (check(archive_read_next_header(archive_.get(), &entry)) != ARCHIVE_EOF) {
      if (archive_entry_filetype(entry) == AE_IFREG) return entry;
    }
    return nullptr;
  }

  void copy_to(PartFile& out, Bytes limit) {
    std::vector<std::byte> block(kBlockSize);
    for (;;) {
      const la_ssize_t size = archive_read_data(archive_.get(), block.data(), block.size());
      if (size == 0) return;
      if (size < 0) fail();
      if (out.size() + Bytes{size} > limit) fail("a file in it is too large");
      out.append(std::span(block).first(static_cast<std::size_t>(size)));
    }
  }

  /// In libarchive's words where none are given.
  [[noreturn]] void fail(const std::string& why = "") const {
    const char* const words = why.empty() ? archive_error_string(archive_.get()) : why.c_str();
    throw Error(ErrorKind::kData, "cannot unpack {}: {}; remove it and fetch it again", path_.string(),
                words != nullptr ? words : "it is damaged");
  }

 private:
  static constexpr std::size_t kBlockSize = 65'536;

  int check(int status) const {
    if (status < ARCHIVE_WARN) fail();
    return status;
  }

  fs::path path_;
  std::unique_ptr<archive, decltype(&archive_read_free)> archive_;
};

}  // namespace

void unpack_members(const fs::path& archive, std::span<const std::string> members, Bytes limit) {
  ArchiveReader reader(archive);
  std::vector<std::string> missing(members.begin(), members.end());
  while (archive_entry* entry = reader.next()) {
    const char* const path = archive_entry_pathname(entry);
    const auto member = std::ranges::find(missing, path != nullptr ? path : "");
    if (member == missing.end()) continue;
    // The name on disk comes from our list: what the archive says decides nothing.
    PartFile out(archive.parent_path() / fs::path(*member).filename());
    out.restart();
    reader.copy_to(out, limit);
    out.publish();
    missing.erase(member);
  }
  if (!missing.empty()) reader.fail("it has no " + missing.front());
  std::error_code ignored;
  fs::remove(archive, ignored);
}

}  // namespace gpubench
