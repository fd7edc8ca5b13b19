// Invalid files: each gives one error that names the file.

#include "record/document/json.h"

#include <sys/stat.h>

#include <limits>

#include "gpubench/core/error.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test::document_file_test {
namespace {

std::string complaint(const std::string& text) {
  try {
    parse_document(text);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kData);
    return error.what();
  }
  return {};
}

std::string complaint_of_file(const std::filesystem::path& path) {
  try {
    read_run_file(path);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kData);
    CHECK_THAT(error.what(), contains_text(path.string() + ": "));
    return error.what();
  }
  return {};
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("values of every kind survive writing and reading") {
  CHECK(parse_document(" [true, false, null, {}, [], \"\"]\n") ==
        Json::array({true, false, nullptr, Json::object(), Json::array(), ""}));
  CHECK(parse_document(R"("\ud83d\ude00\u00e9\"\\\/\b\f\n\r\t é€😀")") == "😀é\"\\/\b\f\n\r\t é€😀");
  CHECK(parse_document("[0, -7, 18446744073709551615, -9223372036854775808]") ==
        Json::array({0, -7, 18446744073709551615U, std::numeric_limits<std::int64_t>::min()}));
  CHECK(parse_document("[0.5, 1e3, 1E-2, 123456789012345678901, 1e-400]") ==
        Json::array({0.5, 1000.0, 0.01, 123456789012345678901.0, 0.0}));
  CHECK(parse_document("\xef\xbb\xbf[]") == Json::array());
}

TEST_CASE("invalid JSON is refused with the place") {
  CHECK(complaint("{\"a\": 1,}") == "not valid JSON at line 1, column 9");
  for (const std::string text :
       {"", "[1,]", "{a:1}", "nul", "01", "\"", "\"\\ud800\"", "\"\xff\"", "[] []", "NaN", "[1]//"}) {
    INFO(text);
    CHECK_THAT(complaint(text), contains_text("not valid JSON at line "));
  }
  CHECK_THAT(complaint(std::string("[1]\0", 4)), contains_text("not valid JSON at line 1, column 4"));
}

TEST_CASE("numbers out of range and duplicate keys are refused") {
  CHECK(complaint("[1e999]") == "the number before line 1, column 6 is too large");
  CHECK(complaint(R"({"a": {"batch_size": 1, "x": 2, "batch_size": 3}})") ==
        "has the key \"batch_size\" twice in an object");
  CHECK(complaint(R"({"a": {"b": 1}, "b": {"b": 1}})").empty());
}

TEST_CASE("nesting is limited") {
  CHECK(complaint(repeated("[", 32) + repeated("]", 32)).empty());
  CHECK(complaint(repeated("[", 33) + repeated("]", 33)) == "nests lists and objects deeper than 32 levels");
  CHECK(complaint(repeated("{\"a\":", 1'000'000)) == "nests lists and objects deeper than 32 levels");
}

TEST_CASE("only files written by hand may have comments") {
  const std::string text = "{ // first\n\"a\": /* between */ 1 }";
  CHECK(parse_document(text, Comments::kTaken) == Json{{"a", 1}});
  CHECK(complaint(text) == "not valid JSON at line 1, column 3");
}

TEST_CASE("a text with too many values is refused before parsing") {
  CHECK(complaint(std::string(kMostValues, '[')) == "nests lists and objects deeper than 32 levels");
  CHECK(complaint(std::string(kMostValues + 1, '[')) == "has more than 64000000 values");
}

TEST_CASE("a foreign file is refused by name") {
  const TempDir dir;
  CHECK_THAT(complaint_of_file(dir.path() / "nothing.json"), contains_text("cannot be read"));
  CHECK_THAT(complaint_of_file(dir.path()), contains_text("is a folder, not a file"));
  CHECK_THAT(complaint_of_file(dir.file("empty.json", "")), contains_text("is empty"));
  CHECK_THAT(complaint_of_file(dir.file("torn.json", "{\"schema_version\": 1, \"re")),
             contains_text("not valid JSON"));
  CHECK_THAT(complaint_of_file(dir.file("list.json", "[]")), contains_text("expected an object"));
  CHECK_THAT(
      complaint_of_file(dir.file("peak.json", R"({"schema_version": 1, "results": [{"workload": "peak"}]})")),
      contains_text("is a peak measurement; this command needs a run"));
}

TEST_CASE("a pipe is refused without waiting for its other end") {
  const TempDir dir;
  const auto pipe = dir.path() / "pipe.json";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THAT(complaint_of_file(pipe), contains_text("is not a regular file"));
}

TEST_CASE("a file that is too large is refused before reading") {
  const TempDir dir;
  const auto path = dir.file("large.json", "{");
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(kLargestDocument.value) + 1);
  CHECK_THAT(complaint_of_file(path),
             contains_text("is too large: 1073741825 bytes, at most 1073741824 are supported"));
}

}  // namespace gpubench::test::document_file_test
