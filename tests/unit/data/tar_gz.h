#pragma once
// Compressed archives.

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

namespace gpubench::test {

using Members = std::vector<std::pair<std::string, std::string>>;

/// Returns an archive of regular files, given as path and content, in the format that `choose` sets.
template <class Choose>
std::string make_archive(const Members& members, const Choose& choose) {
  std::string packed(1 << 20, '\0');
  std::size_t size = 0;
  archive* const writer = archive_write_new();
  choose(writer);
  archive_write_set_bytes_in_last_block(writer, 1);
  archive_write_open_memory(writer, packed.data(), packed.size(), &size);
  for (const auto& [path, content] : members) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, path.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    archive_write_header(writer, entry);
    archive_write_data(writer, content.data(), content.size());
    archive_entry_free(entry);
  }
  const int status = archive_write_close(writer);
  archive_write_free(writer);
  if (status != ARCHIVE_OK) throw std::runtime_error("cannot create an archive");
  packed.resize(size);
  return packed;
}

inline std::string tar_gz(const Members& members) {
  return make_archive(members, [](archive* writer) {
    archive_write_add_filter_gzip(writer);
    archive_write_set_format_ustar(writer);
  });
}

inline std::string zip(const Members& members) {
  return make_archive(members, [](archive* writer) { archive_write_set_format_zip(writer); });
}

}  // namespace gpubench::test
