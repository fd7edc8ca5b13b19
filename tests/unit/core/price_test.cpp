#include "gpubench/core/text/price.h"

#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test {

TEST_CASE("a price is a number above 0") {
  CHECK(parse_price("0.30", "--price-kwh") == approx(0.3));
  CHECK(parse_price("12", "--price-kwh") == approx(12));
}

TEST_CASE("what is no price is refused by the name of the option") {
  for (const char* text : {"", "0", "0.0", "-1", "free", "0.3x", "1e5", "nan", "inf", "0.3 ", "."}) {
    CHECK_THROWS_WITH(parse_price(text, "--price-kwh"),
                      contains_text("--price-kwh '" + std::string(text) + "': a number above 0"));
  }
  CHECK_THROWS_AS(parse_price(std::string(400, '9'), "--price-kwh"), Error);
}

}  // namespace gpubench::test
