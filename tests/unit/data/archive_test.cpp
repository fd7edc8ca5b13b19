#include "data/fetch/fetch.h"

#include <random>

#include "files.h"
#include "support/temp_dir.h"
#include "tar_gz.h"

namespace gpubench::test::archive_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLimit = 300'000;

void unpack(const TempDir& dir, const std::string& archive) {
  unpack_archive(
      dir.file("set.tar.gz", archive), dir.path() / "out",
      [](const std::string& path) { return path.ends_with(".bin"); }, Bytes{kLimit});
}

std::string unpack_error(const TempDir& dir, const std::string& archive) {
  return catch_data_error([&] { unpack(dir, archive); });
}

TEST_CASE("only the wanted members of an archive are unpacked") {
  const TempDir dir;
  unpack(dir, tar_gz({{"set/readme.html", "hello"}, {"set/two.bin", "2"}, {"set/one.bin", "1"}}));
  CHECK(read_content(dir.path() / "out" / "set" / "one.bin") == "1");
  CHECK(read_content(dir.path() / "out" / "set" / "two.bin") == "2");
  CHECK(std::distance(fs::directory_iterator(dir.path() / "out" / "set"), {}) == 2);
}

TEST_CASE("a zip archive is unpacked like a tar archive, and damage is detected") {
  const TempDir dir;
  const std::string whole = zip({{"set/readme.html", "hello"}, {"set/two.bin", "22"}, {"set/one.bin", "11"}});
  unpack(dir, whole);
  CHECK(read_content(dir.path() / "out" / "set" / "one.bin") == "11");
  CHECK(read_content(dir.path() / "out" / "set" / "two.bin") == "22");
  CHECK_THAT(unpack_error(dir, whole.substr(0, whole.find("set/one.bin"))), contains_text("set.tar.gz: "));
}

TEST_CASE("a member with a path outside of the folder is refused") {
  for (const std::string name : {"../one.bin", "/set/one.bin", "set/../../one.bin"}) {
    const TempDir dir;
    CHECK_THAT(unpack_error(dir, tar_gz({{name, "1"}})),
               contains_text("it contains a path outside of its folder"));
    CHECK_FALSE(fs::exists(dir.path() / "one.bin"));
  }
}

TEST_CASE("a member that is too large is refused and leaves no file") {
  const TempDir dir;
  const std::string message =
      unpack_error(dir, tar_gz({{"set/one.bin", std::string(kLimit + 1, '1')}, {"set/two.bin", "2"}}));
  CHECK_THAT(message, contains_text("it contains a file that is too large"));
  CHECK_FALSE(fs::exists(dir.path() / "out" / "set" / "one.bin"));
}

TEST_CASE("a truncated archive is refused by name and leaves no truncated file") {
  std::string content;
  for (std::minstd_rand generate; content.size() < kLimit;) content += static_cast<char>(generate() >> 8);
  const std::string whole = tar_gz({{"set/one.bin", content}, {"set/two.bin", "2"}});
  for (const std::size_t size : {whole.size() / 100, whole.size() / 2, whole.size() - 20}) {
    const TempDir dir;
    CHECK_THAT(unpack_error(dir, whole.substr(0, size)), contains_text("set.tar.gz: "));
    const fs::path one = dir.path() / "out" / "set" / "one.bin";
    CHECK((!fs::exists(one) || read_content(one) == content));
  }
}

}  // namespace
}  // namespace gpubench::test::archive_test
