#include "data/fetch/raw_file.h"

#include "files.h"
#include "support/temp_dir.h"

namespace gpubench::test::raw_file_test {
namespace {

std::string catch_error(const std::filesystem::path& path) {
  return catch_data_error([&] { read_raw_file(path, Bytes{8}); });
}

TEST_CASE("a file is read whole up to its limit") {
  const TempDir dir;
  const RawFile file = read_raw_file(dir.file("labels", "12345678"), Bytes{8});
  CHECK(file.bytes.size() == 8);
  CHECK(file.bytes.back() == std::byte{'8'});
  CHECK(file.name() == "labels");
}

TEST_CASE("what is no readable file of a sane size is rejected, each in its own words") {
  const TempDir dir;
  CHECK_THAT(catch_error(dir.file("empty", "")), contains_text("empty is empty"));
  CHECK_THAT(catch_error(dir.file("large", "123456789")),
             contains_text("large is too large: it has 9 bytes, and at most 8 are read"));
  CHECK_THAT(catch_error(dir.path()), contains_text(" is a folder, not a file"));
  CHECK_THAT(catch_error(dir.file("file", "1") / "below"), contains_text("below"));
}

}  // namespace
}  // namespace gpubench::test::raw_file_test
