// Runs all targets on the inputs in the corpus.
//
//   gpubench_fuzz_replay CORPUS    CORPUS has a folder for each target

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "fuzz/target.h"

namespace gpubench::fuzz {

#define GPUBENCH_ENTRY(stem) Target entry_##stem();
#include "fuzz_targets.def"
#undef GPUBENCH_ENTRY

namespace {

namespace fs = std::filesystem;

struct Named {
  const char* name;
  Target target;
};

std::vector<Named> all_targets() {
  return {
#define GPUBENCH_ENTRY(stem) {#stem, entry_##stem()},
#include "fuzz_targets.def"
#undef GPUBENCH_ENTRY
  };
}

std::string read_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Prints the name of each file before running it, so that the last line names the input of a crash.
void replay(const Target& target, const fs::path& folder) {
  std::set<fs::path> files;
  if (fs::exists(folder)) files = {fs::directory_iterator(folder), fs::directory_iterator()};
  std::printf("%s: %zu inputs\n", folder.c_str(), files.size());
  require(!files.empty(), "the target has a corpus; add a small valid input to this folder");
  for (const fs::path& file : files) {
    std::printf("  %s\n", file.filename().c_str());
    std::fflush(stdout);
    target.run(read_bytes(file));
  }
}

}  // namespace
}  // namespace gpubench::fuzz

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: gpubench_fuzz_replay CORPUS\n");
    return 2;
  }
  for (const auto& [name, target] : gpubench::fuzz::all_targets()) {
    gpubench::fuzz::replay(target, std::filesystem::path(words[1]) / name);
  }
  return 0;
}
