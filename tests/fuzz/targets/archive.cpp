// Archives of datasets, from which two members are unpacked.

#include "data/fetch/fetch.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"

namespace gpubench::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLimit{4'096};

bool is_wanted(const std::string& path) { return path == "folder/first.bin" || path == "second.txt"; }

/// Checks that the folder contains only the requested members, complete or as temporary files.
void require_wanted(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) continue;
    const std::string name = fs::relative(entry.path(), folder).string();
    require(is_wanted(name) || is_wanted(name.substr(0, name.rfind(".part"))),
            "only requested members are written");
    require(entry.is_regular_file() && !entry.is_symlink(), "members are files");
    require(entry.file_size() <= static_cast<std::uintmax_t>(kLimit.value),
            "members do not exceed the size limit");
  }
}

void read(std::string_view input) {
  const Folder parent;
  const fs::path archive = parent.file("archive", input);
  fs::create_directory(parent.path() / "below");
  accepts([&] { unpack_archive(archive, parent.path() / "below", is_wanted, kLimit); });
  require_wanted(parent.path() / "below");
  require(std::distance(fs::directory_iterator(parent.path()), fs::directory_iterator()) == 2,
          "no other folder is written");
}

}  // namespace

Target entry_archive() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
