#include "gpubench/core/io/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test::outside_file_test {
using gpubench::test::contains_text;
using gpubench::test::TempDir;

namespace {

constexpr Bytes kMost{10};

std::string refusal(const std::filesystem::path& path, Owner owner = Owner::kAnybody) {
  return read_untrusted_file(path, kMost, owner).reason();
}

}  // namespace

TEST_CASE("a file above the size limit is refused") {
  const TempDir dir;
  CHECK(read_untrusted_file(dir.file("fits", "0123456789"), kMost).value() == "0123456789");
  CHECK(read_untrusted_file(dir.file("empty", ""), kMost).value().empty());
  CHECK(refusal(dir.file("large", "0123456789a")) == "is too large: 11 bytes, at most 10 are supported");
}

TEST_CASE("a file of the program is refused if other users can write to it, or if it is a link") {
  const TempDir dir;
  const auto path = dir.file("kept", "fact");
  CHECK(read_untrusted_file(path, kMost, Owner::kThisUser).value() == "fact");
  REQUIRE(chmod(path.c_str(), 0666) == 0);
  CHECK(refusal(path, Owner::kThisUser) == "is writable by other users");
  CHECK(read_untrusted_file(path, kMost).value() == "fact");
  const auto link = dir.path() / "link";
  std::filesystem::create_symlink(dir.file("other", "fact"), link);
  CHECK_FALSE(refusal(link, Owner::kThisUser).empty());
}

}  // namespace gpubench::test::outside_file_test
