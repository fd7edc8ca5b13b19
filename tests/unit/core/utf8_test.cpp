#include "gpubench/core/text/utf8.h"

#include <string>

#include "support/catch.h"

namespace gpubench::test::utf8_test {
namespace {

void check_first(std::string_view text, char32_t code, std::size_t length) {
  INFO(text);
  const Character first = first_character(text);
  CHECK(first.code == code);
  CHECK(first.length == length);
  CHECK(is_valid(first));
}

}  // namespace

TEST_CASE("characters of one to four bytes are read") {
  check_first("ab", 'a', 1);
  check_first("µs", 0xb5, 2);
  check_first("漢字", 0x6f22, 3);
  check_first("😀!", 0x1f600, 4);
  check_first(std::string_view("\0", 1), 0, 1);
}

TEST_CASE("an invalid byte is read as one character") {
  for (const char* text : {"\xff", "\x80", "\xc0\xaf", "\xc3(", "\xe2\x82", "\xe0\x80\xaf", "\xed\xa0\x80",
                           "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80"}) {
    INFO(text);
    const Character first = first_character(text);
    CHECK(first.code == kReplacementCharacter);
    CHECK(first.length == 1);
    CHECK_FALSE(is_valid(first));
  }
}

TEST_CASE("wide characters have two columns, and combining characters none") {
  CHECK(display_width("") == 0);
  CHECK(display_width("12.5 µs ± 1 %…") == 14);
  CHECK(display_width("▁█│") == 3);
  CHECK(display_width("漢字") == 4);
  CHECK(display_width("한글") == 4);
  CHECK(display_width("ｆｕｌｌ") == 8);
  CHECK(display_width("e\u0301te\u0301") == 3);
  CHECK(display_width("a\xff\xc0z") == 4);
}

TEST_CASE("text is cut between characters, and an accent stays with its letter") {
  CHECK(fitting("abc", 2) == "ab");
  CHECK(fitting("abc", 3) == "abc");
  CHECK(fitting("abc", 0).empty());
  CHECK(fitting("漢字", 3) == "漢");
  CHECK(fitting("cafe\u0301s", 4) == "cafe\u0301");
}

TEST_CASE("a table wraps its text columns, the widest first, to the width of the line") {
  TextTable table({{"name"}, {"count", Align::kRight}, {"found"}});
  table.add_row({"a name of several words", "12", "one sentence that is longer than all other cells of it"});
  CHECK(table.to_string(table.width()) ==
        "name                     count  found\n"
        "a name of several words     12  one sentence that is longer than all other cells of it\n");
  CHECK(table.to_string(60) ==
        "name                     count  found\n"
        "a name of several words     12  one sentence that is longer\n"
        "                                than all other cells of it\n");
  CHECK(table.to_string(50) ==
        "name               count  found\n"
        "a name of several     12  one sentence that is\n"
        "words                     longer than all other\n"
        "                          cells of it\n");
}

TEST_CASE("headings of numbers are wrapped too, but no word is broken") {
  TextTable table({{"file"}, {"latency p50", Align::kRight}});
  table.add_row({"/a/folder/with/a/long/name", "0.001"});
  CHECK(table.to_string(30) ==
        "file                        latency\n"
        "                                p50\n"
        "/a/folder/with/a/long/name    0.001\n");
}

TEST_CASE("a wrapped text keeps numbers with their units, and commands whole") {
  CHECK(wrapped("took about 12.5 ms here", 14) == std::vector<std::string>{"took about", "12.5 ms here"});
  CHECK(wrapped("see 'gpubench help x' for more", 12) ==
        std::vector<std::string>{"see", "'gpubench help x'", "for more"});
}

}  // namespace gpubench::test::utf8_test
