// Archives of datasets, of which two members are taken.

#include <array>

#include "data/fetch/archive.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"

namespace gpubench::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLimit{4'096};
const std::array<std::string, 2> kMembers = {"folder/first.bin", "second.txt"};

/// Nothing but the members, whole or in part, and the archive itself.
void require_tame(const fs::path& folder, bool is_unpacked) {
  const std::vector<std::string> known = {"first.bin", "second.txt", is_unpacked ? "" : "archive"};
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    require(std::find(known.begin(), known.end(), name) != known.end(), "an archive does not name files");
    require(entry.is_regular_file() && !entry.is_symlink(), "members are files");
    require(name == "archive" || entry.file_size() <= static_cast<std::uintmax_t>(kLimit.value),
            "members are of bounded size");
    ++count;
  }
  require(!is_unpacked || count == kMembers.size(), "every member is there, and the archive is not");
}

void read(std::string_view input) {
  const Folder parent;
  const fs::path archive = parent.file("below/archive", input);
  const bool is_unpacked = accepts([&] { unpack_members(archive, kMembers, kLimit); });
  require_tame(archive.parent_path(), is_unpacked);
  require(std::distance(fs::directory_iterator(parent.path()), fs::directory_iterator()) == 1,
          "nothing is written elsewhere");
}

}  // namespace

Target entry_archive() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
