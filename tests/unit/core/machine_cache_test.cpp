#include "gpubench/core/io/files.h"

#include <fstream>

#include "support/catch.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"

namespace gpubench::test::machine_cache_test {

TEST_CASE("what was stored is found under its key alone, and the later text wins") {
  const TempDir folder;
  const MachineCache cache(folder.path() / "facts");
  CHECK_FALSE(cache.find("a").has_value());
  cache.store("a", "first\nline two");
  cache.store("b", "other");
  CHECK(cache.find("a") == "first\nline two");
  cache.store("a", "second");
  CHECK(cache.find("a") == "second");
  CHECK(cache.find("b") == "other");
}

TEST_CASE("a file of another key under the same name is not taken for this one") {
  const TempDir folder;
  const MachineCache cache(folder.path());
  cache.store("a", "text");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    std::ofstream(entry.path()) << "another key\ntext";
  }
  CHECK_FALSE(cache.find("a").has_value());
}

TEST_CASE("a cache that cannot be written, or has no place, keeps nothing and complains of nothing") {
  const TempDir folder;
  std::ofstream(folder.path() / "file") << "in the way";
  const MachineCache blocked(folder.path() / "file");
  blocked.store("a", "text");
  CHECK_FALSE(blocked.find("a").has_value());
  const MachineCache nowhere(std::filesystem::path() / "facts");
  nowhere.store("a", "text");
  CHECK_FALSE(nowhere.find("a").has_value());
  CHECK_FALSE(std::filesystem::exists("facts"));
}

TEST_CASE("a fact that others could have written is none") {
  const TempDir folder;
  const MachineCache cache(folder.path());
  cache.store("a", "text");
  CHECK(cache.find("a") == "text");
  const auto file = std::filesystem::directory_iterator(folder.path())->path();
  std::filesystem::permissions(file, std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  CHECK_FALSE(cache.find("a").has_value());
}

TEST_CASE("the cache folder is XDG's, else the home's, else none") {
  const ScopedVariable home("HOME", "/home/somebody");
  {
    const ScopedVariable cache("XDG_CACHE_HOME", "/var/cache");
    CHECK(cache_folder() == "/var/cache/gpubench");
  }
  const ScopedVariable cache("XDG_CACHE_HOME", std::nullopt);
  CHECK(cache_folder() == "/home/somebody/.cache/gpubench");
  const ScopedVariable homeless("HOME", std::nullopt);
  CHECK(cache_folder().empty());
}

}  // namespace gpubench::test::machine_cache_test
