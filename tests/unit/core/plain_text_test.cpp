#include "gpubench/core/text/utf8.h"

#include "support/catch.h"

using namespace gpubench;

TEST_CASE("text from outside commands no terminal") {
  CHECK(plain_text("name of 12 % – Größe, 東京") == "name of 12 % – Größe, 東京");
  CHECK(plain_text("\x1b[31mred\x1b[0m") == "?[31mred?[0m");
  CHECK(plain_text("one\ntwo\r\nthree\tfour") == "one two  three four");
  CHECK(plain_text(std::string("a\0b\x7f", 4)) == "a?b?");
  CHECK(plain_text("\xc2\x9b"
                   "31m") == "?31m");  // U+009B, a control sequence by itself.
  CHECK(plain_text("txt.\xe2\x80\xae"
                   "exe") == "txt.?exe");  // U+202E turns the direction of writing.
  CHECK(plain_text("\xe2\x81\xa6hidden\xe2\x81\xa9") == "?hidden?");  // U+2066 and U+2069.
  CHECK(plain_text("\xff\xc0\xaf \xed\xa0\x80") == "??? ???");        // No UTF-8.
  CHECK(plain_text("").empty());
}
