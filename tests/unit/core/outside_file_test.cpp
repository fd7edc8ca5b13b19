#include "gpubench/core/io/files.h"

#include <filesystem>

#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test::outside_file_test {
using gpubench::test::contains_text;
using gpubench::test::TempDir;

namespace {

constexpr Bytes kMost{10};

std::string refusal(const std::filesystem::path& path) { return read_outside_file(path, kMost).reason(); }

}  // namespace

TEST_CASE("a file from outside is read up to the size that it may have") {
  const TempDir dir;
  CHECK(read_outside_file(dir.file("fits", "0123456789"), kMost).value() == "0123456789");
  CHECK(read_outside_file(dir.file("empty", ""), kMost).value().empty());
  CHECK(refusal(dir.file("large", "0123456789a")) ==
        "is too large: it has 11 bytes, and at most 10 are read");
}

}  // namespace gpubench::test::outside_file_test
