#include "gpubench/core/text/percent.h"

#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test {

TEST_CASE("a percentage is a part of one, with or without its sign") {
  CHECK(parse_percent("5%", "--gate") == approx(0.05));
  CHECK(parse_percent("2.5", "--gate") == approx(0.025));
  CHECK(parse_percent("0%", "--gate") == 0);
}

TEST_CASE("what is no percentage is refused by name") {
  for (const char* text : {"", "%", "-5%", "5%%", "five", "1e3", "nan", "inf", "1.2.3", "5 %", "1001"}) {
    CHECK_THROWS_WITH(parse_percent(text, "--gate"), contains_text("--gate '" + std::string(text) + "'"));
  }
}

}  // namespace gpubench::test
