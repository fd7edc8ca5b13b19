#include <cstring>

#include "files.h"
#include "gpubench/core/collect.h"
#include "gpubench/dataset.h"
#include "support/temp_dir.h"

namespace gpubench::test::tokens_test {
namespace {

using Tokens = std::vector<std::int32_t>;

const DatasetEntry& entry() { return *datasets().find("tokens"); }

/// Returns `width` bytes for each number, the lowest first.
std::string little_endian(const std::vector<std::uint32_t>& numbers, std::size_t width) {
  std::string bytes;
  for (const std::uint32_t number : numbers) {
    for (std::size_t i = 0; i < width; ++i) bytes += static_cast<char>(number >> 8 * i & 0xff);
  }
  return bytes;
}

std::string llmc_file(const std::vector<std::uint32_t>& tokens, std::uint32_t magic = 20'240'520,
                      std::uint32_t version = 1, std::size_t width = 2) {
  std::string bytes = little_endian({magic, version, static_cast<std::uint32_t>(tokens.size())}, 4);
  bytes.resize(1024);
  return bytes + little_endian(tokens, width);
}

Dataset load(const TempDir& dir, std::int64_t vocabulary = 300) {
  return entry().load(dir.path(), entry().spec_for({Task::kLanguage, {8}, vocabulary}));
}

Tokens read_tokens(const Split& split) {
  Tokens tokens(static_cast<std::size_t>(split.size()));
  REQUIRE(split.inputs.bytes.size() == tokens.size() * sizeof(std::int32_t));
  std::memcpy(tokens.data(), split.inputs.bytes.data(), split.inputs.bytes.size());
  return tokens;
}

TEST_CASE("shards of llm.c form one stream in the order of their names") {
  const TempDir dir;
  dir.file("fineweb_train_000002.bin", llmc_file({4, 5}));
  dir.file("fineweb_train_000001.bin", llmc_file({1, 299, 3}));
  dir.file("fineweb_val_000000.bin", llmc_file({6, 7}));
  dir.file("gpt2_tokenizer.bin", "ignored");
  dir.file("train.txt", "ignored");
  CHECK(entry().is_present(dir.path()));
  const Dataset dataset = load(dir);
  CHECK(dataset.spec == DataSpec{Task::kLanguage, {}, 300});
  CHECK(dataset.train.inputs.type == ElementType::kInt32);
  CHECK(read_tokens(dataset.train) == Tokens{1, 299, 3, 4, 5});
  CHECK(read_tokens(dataset.validation) == Tokens{6, 7});
  CHECK(read_tokens(dataset.test) == Tokens{6, 7});  // A missing test file is replaced.
  CHECK(names_in(dataset.record.files) == std::vector<std::string>{"fineweb_train_000001.bin",
                                                                   "fineweb_train_000002.bin",
                                                                   "fineweb_val_000000.bin"});
  CHECK(dataset.record.files[0].size == Bytes{1024 + 6});
}

TEST_CASE("files of nanoGPT have no header, and tokens of Llama 3 have four bytes") {
  const TempDir dir;
  dir.file("train.bin", little_endian({1, 256, 2}, 2));
  dir.file("val.bin", llmc_file({70'000, 4}, 20'240'801, 7, 4));
  dir.file("test.bin", little_endian({9}, 2));
  const Dataset dataset = load(dir, 128'256);
  CHECK(read_tokens(dataset.train) == Tokens{1, 256, 2});
  CHECK(read_tokens(dataset.validation) == Tokens{70'000, 4});
  CHECK(read_tokens(dataset.test) == Tokens{9});
}

TEST_CASE("a damaged token file is refused with its name and the fault") {
  const std::string good = llmc_file({1, 2, 3});
  const std::pair<std::string, const char*> faults[] = {
      {llmc_file({1, 300}),
       "has token 300 at position 1, but the model's vocabulary is 300; use --model-arg "
       "vocabulary=301 or more"},
      {llmc_file({1}, 20'240'522), "lacks the header of llm.c"},
      {llmc_file({1}, 20'240'520, 2), "has version 2 of llm.c's format, but gpubench reads version 1"},
      {good.substr(0, 1029), "is truncated or damaged (1,029 bytes for 3 tokens)"},
      {good.substr(0, 1028), "is truncated or damaged (1,028 bytes for 3 tokens)"},
      {good + "12", "is truncated or damaged"},
      {good.substr(0, 1000), "lacks the header of llm.c"},
      {"", "is empty"}};
  for (const auto& [content, fault] : faults) {
    const TempDir dir;
    dir.file("text_train.bin", content);
    CHECK_THAT(catch_data_error([&] { load(dir); }),
               contains_text((dir.path() / "text_train.bin").string() + " " + fault));
  }
  const TempDir dir;
  dir.file("train.bin", "odd");
  CHECK_THAT(catch_data_error([&] { load(dir); }),
             contains_text("train.bin is truncated or damaged (3 bytes"));
}

TEST_CASE("a folder without training tokens or with too many is refused") {
  const TempDir dir;
  dir.file("val.bin", "1234");
  CHECK_FALSE(entry().is_present(dir.path()));
  CHECK_THAT(catch_data_error([&] { load(dir); }), contains_text("has no file *train*.bin"));
  for (const char* name : {"a_train.bin", "b_train.bin"})
    std::filesystem::resize_file(dir.file(name, ""), std::uintmax_t{3} << 29);
  CHECK_THAT(catch_data_error([&] { load(dir); }), contains_text("has 3 token files of 3,221,225,476 bytes"));
  std::filesystem::resize_file(dir.path() / "a_train.bin", std::uintmax_t{1} << 40);
  CHECK_THAT(catch_data_error([&] { load(dir); }), contains_text("a_train.bin is too large"));
}

}  // namespace
}  // namespace gpubench::test::tokens_test
