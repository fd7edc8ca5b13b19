#include "gpubench/dataset.h"

#include <cstring>

#include "files.h"
#include "gpubench/core/io/digest.h"
#include "support/fake_http_server.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"
#include "tar_gz.h"

namespace gpubench::test::wikitext_test {
namespace {

namespace fs = std::filesystem;

const DatasetEntry& whole() { return *datasets().find("wikitext2"); }
const DatasetEntry& small() { return *datasets().find("wikitext2-valid"); }

void write_set(const TempDir& dir) {
  dir.file("wiki.train.tokens", " \n = A tale = \n the cat saw the dog \n");
  dir.file("wiki.valid.tokens", "the bird saw A cat\n");
  dir.file("wiki.test.tokens", "a bird <unk>\n");
}

std::vector<std::int32_t> read_tokens(const Split& split) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(split.size()));
  REQUIRE(split.inputs.bytes.size() == tokens.size() * sizeof(std::int32_t));
  std::memcpy(tokens.data(), split.inputs.bytes.data(), split.inputs.bytes.size());
  return tokens;
}

std::string catch_error(const DatasetEntry& entry, const TempDir& dir) {
  return catch_data_error([&] { entry.load(dir.path(), {}); });
}

/// Returns `count` different words.
std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "w" + std::to_string(i) + " ";
  return text;
}

TEST_CASE("words are numbered by first appearance in training, validation and test text") {
  const TempDir dir;
  write_set(dir);
  REQUIRE(whole().is_present(dir.path()));
  const Dataset dataset = whole().load(dir.path(), {});
  // <eos> 0, = 1, A 2, tale 3, the 4, cat 5, saw 6, dog 7; then bird 8; then a 9, <unk> 10.
  CHECK(read_tokens(dataset.train) == std::vector<std::int32_t>{0, 1, 2, 3, 1, 0, 4, 5, 6, 4, 7, 0});
  CHECK(read_tokens(dataset.validation) == std::vector<std::int32_t>{4, 8, 6, 2, 5, 0});
  CHECK(read_tokens(dataset.test) == std::vector<std::int32_t>{9, 8, 10, 0});
  CHECK(dataset.spec == DataSpec{Task::kLanguage, {}, 33'278});
  CHECK(dataset.train.inputs.type == ElementType::kInt32);
  CHECK(dataset.train.inputs.shape == std::vector<std::int64_t>{12});
  CHECK(dataset.train.targets.bytes.empty());
  CHECK(dataset.train.targets.shape.empty());
  CHECK(dataset.record.note ==
        "18 of 2,306,274 training samples; 4 of 245,569 test samples; not the official files");
}

TEST_CASE("wikitext2-valid trains on the validation text, with its own vocabulary") {
  const TempDir dir;
  write_set(dir);
  fs::remove(dir.path() / "wiki.train.tokens");
  CHECK_FALSE(whole().is_present(dir.path()));
  REQUIRE(small().is_present(dir.path()));
  const Dataset dataset = small().load(dir.path(), {});
  CHECK(read_tokens(dataset.train) == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});
  CHECK(read_tokens(dataset.test) == std::vector<std::int32_t>{6, 1, 7, 5});
  CHECK(dataset.validation.size() == 0);
  CHECK(dataset.record.name == "wikitext2-valid");
  CHECK_THAT(catch_error(whole(), dir), contains_text("wiki.train.tokens cannot be read: no such file"));
}

TEST_CASE("a vocabulary of 33,278 words is accepted, a larger one is refused") {
  const TempDir dir;
  dir.file("valid.txt", words(33'277) + "\n");
  dir.file("test.txt", words(10));
  const Dataset dataset = small().load(dir.path(), {});
  CHECK(read_tokens(dataset.train).back() == 33'277);
  dir.file("test.txt", words(10) + "another\n");
  CHECK_THAT(catch_error(small(), dir), contains_text("test.txt exceeds the vocabulary of 33,278 words"));
}

TEST_CASE("an invalid text file of WikiText-2 is refused by name") {
  const TempDir dir;
  write_set(dir);
  dir.file("wiki.test.tokens", std::string("PK\3\4\0\0", 6));
  CHECK_THAT(catch_error(whole(), dir),
             contains_text("wiki.test.tokens contains a zero byte, so it is not a text file"));
  dir.file("wiki.test.tokens", "");
  CHECK_THAT(catch_error(whole(), dir), contains_text("wiki.test.tokens is empty"));
  dir.file("wiki.test.tokens", std::string(1'400'001, 'a'));
  CHECK_THAT(catch_error(whole(), dir),
             contains_text("is too large: 1400001 bytes, at most 1400000 are supported"));
  fs::remove(dir.path() / "wiki.test.tokens");
  fs::create_directory(dir.path() / "wiki.test.tokens");
  CHECK_THAT(catch_error(whole(), dir), contains_text("wiki.test.tokens is a folder"));
}

TEST_CASE("WikiText-2 is unpacked from its archive, which is then removed") {
  const std::string archive = zip({{"wikitext-2/", ""},
                                   {"wikitext-2/wiki.test.tokens", "a b\n"},
                                   {"wikitext-2/wiki.valid.tokens", "b\n"},
                                   {"wikitext-2/wiki.train.tokens", "c\n"}});
  DatasetEntry entry = whole();
  entry.files = {{"wikitext-2-v1.zip", Bytes{std::ssize(archive)}, md5(std::as_bytes(std::span(archive)))}};
  const TempDir dir;
  FakeHttpServer server;
  server.serve("wikitext-2-v1.zip", archive);
  const ScopedVariable address("GPUBENCH_BASE_URL", server.url());
  fetch_dataset(entry, dir.path(), {});
  const fs::path folder = dir.path() / "wikitext-2";
  CHECK(read_tokens(entry.load(folder, {}).test) ==
        std::vector<std::int32_t>{3, 2, 1});  // c 0, <eos> 1, b 2, a 3
  CHECK_FALSE(fs::exists(folder / "wikitext-2-v1.zip"));
}

}  // namespace
}  // namespace gpubench::test::wikitext_test
