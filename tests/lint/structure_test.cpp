// The structure that design and CONTRIBUTING promise, read from the code itself.

#include "lint/source_tree.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/temp_dir.h"

using namespace gpubench::test;

namespace {

void check_none(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) UNSCOPED_INFO(line);
  CHECK(lines.empty());
}

/// A family of plug-ins with its contract.
void add_family(const TempDir& dir, const std::string& name, const std::string& contract) {
  dir.file("include/gpubench/" + contract, "#pragma once\n");
  dir.file("src/" + name + "/catalog.def", "");
  dir.file("src/" + name + "/CMakeLists.txt",
           "gpubench_folder(CATALOG ENTRIES gpubench/" + contract + " E f n NEEDS core)\n");
  dir.file("src/" + name + "/plain.cpp", "#include \"gpubench/" + contract + "\"\n");
}

}  // namespace

TEST_CASE("each include is of the same folder or of one that the folder needs") {
  check_none(SourceTree(source_dir()).includes_without_need());
}

TEST_CASE("plug-ins keep to the contracts of their own family") {
  check_none(SourceTree(source_dir()).foreign_contracts());
}

TEST_CASE("no files include each other in a circle") { check_none(SourceTree(source_dir()).circles()); }

TEST_CASE("a folder has about twenty files at most") {
  check_none(SourceTree(source_dir()).crowded_folders(25));
}

TEST_CASE("the tree that is looked at is the project's") {
  CHECK(SourceTree(source_dir()).files() > 300);
  CHECK(SourceTree(source_dir()).includes().size() > 1000);
}

TEST_CASE("an include of a folder that is not needed is found") {
  TempDir dir;
  dir.file("include/gpubench/core/units.h", "");
  dir.file("models/mlp.cpp", "");
  dir.file("src/a/CMakeLists.txt", "gpubench_folder(NEEDS core\n  LIBRARIES b)\n");
  dir.file("src/a/own.h", "");
  dir.file("src/a/a.cpp", "#include \"a/own.h\"\n#include \"gpubench/core/units.h\"\n#include \"b/b.h\"\n");
  dir.file("src/b/b.h", "");
  CHECK(SourceTree(dir.path()).includes_without_need() ==
        std::vector<std::string>{"src/a/a.cpp includes src/b/b.h, but src/a/CMakeLists.txt has no NEEDS b"});
}

TEST_CASE("a contract of another family is found") {
  TempDir dir;
  add_family(dir, "fans", "fan.h");
  add_family(dir, "lamps", "lamp.h");
  dir.file("models/mlp.cpp", "");
  dir.file("src/fans/hwmon.cpp", "#include \"gpubench/fan.h\"\n#include \"gpubench/lamp.h\"\n");
  const auto lines = SourceTree(dir.path()).foreign_contracts();
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], contains_text("src/fans/hwmon.cpp includes include/gpubench/lamp.h"));
}

TEST_CASE("files that include each other are found, by names") {
  TempDir dir;
  dir.file("include/gpubench/core/units.h", "");
  dir.file("models/mlp.cpp", "");
  dir.file("src/a/one.h", "");
  dir.file("src/a/one.cpp", "#include \"a/two.h\"\n");
  dir.file("src/a/two.h", "");
  dir.file("src/a/two.cpp", "#include \"a/one.h\"\n#include \"a/two.h\"\n");
  CHECK(SourceTree(dir.path()).circles() == std::vector<std::string>{"a/one <-> a/two"});
}

TEST_CASE("a crowded folder is found") {
  TempDir dir;
  dir.file("include/gpubench/core/units.h", "");
  dir.file("models/mlp.cpp", "");
  for (const char* name : {"a", "b", "c"}) dir.file("src/a/" + std::string(name) + ".cpp", "");
  CHECK(SourceTree(dir.path()).crowded_folders(2) ==
        std::vector<std::string>{"src/a has 3 files, of at most 2"});
}
