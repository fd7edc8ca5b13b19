// Archives of datasets, of which two members are taken.

#include "data/fetch/fetch.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"

namespace gpubench::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLimit{4'096};

bool is_wanted(const std::string& path) { return path == "folder/first.bin" || path == "second.txt"; }

/// Nothing but the members, whole or as drafts.
void require_tame(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) continue;
    const std::string name = fs::relative(entry.path(), folder).string();
    require(is_wanted(name) || is_wanted(name.substr(0, name.rfind(".part"))), "only members appear");
    require(entry.is_regular_file() && !entry.is_symlink(), "members are files");
    require(entry.file_size() <= static_cast<std::uintmax_t>(kLimit.value), "members are of bounded size");
  }
}

void read(std::string_view input) {
  const Folder parent;
  const fs::path archive = parent.file("archive", input);
  fs::create_directory(parent.path() / "below");
  accepts([&] { unpack_archive(archive, parent.path() / "below", is_wanted, kLimit); });
  require_tame(parent.path() / "below");
  require(std::distance(fs::directory_iterator(parent.path()), fs::directory_iterator()) == 2,
          "nothing is written elsewhere");
}

}  // namespace

Target entry_archive() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
