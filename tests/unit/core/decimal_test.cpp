#include "gpubench/core/text/quantities.h"

#include <string>

#include "support/catch.h"

namespace gpubench::test::decimal_test {

TEST_CASE("a decimal has digits, and optionally a point, a sign and an exponent") {
  CHECK(parse_decimal("0") == 0.0);
  CHECK(parse_decimal("007") == 7.0);
  CHECK(parse_decimal("12.5") == 12.5);
  CHECK(parse_decimal(".5") == 0.5);
  CHECK(parse_decimal("5.") == 5.0);
  CHECK(parse_decimal("-0.25") == -0.25);
  CHECK(parse_decimal("+3") == 3.0);
  CHECK(parse_decimal("1e3") == 1000.0);
  CHECK(parse_decimal("25E-2") == 0.25);
  CHECK(parse_decimal("1.5e+2") == 150.0);
}

TEST_CASE("a decimal is rounded to the nearest double for any number of digits") {
  CHECK(parse_decimal("0.1") == 0.1);
  CHECK(parse_decimal("9007199254740993") == 9007199254740992.0);
  CHECK(parse_decimal("2.2250738585072014e-308") == 0x1p-1022);
  CHECK(parse_decimal("1" + std::string(100, '0') + "e-100") == 1.0);
}

TEST_CASE("a text that is not entirely a decimal is refused") {
  for (const char* text :
       {"",    ".",   "-",   "+",   "e5",   "1e",  "1.2.3",    "1 ",    " 1",     "1W", "0x10",
        "--1", "+-1", "++1", "inf", "-inf", "nan", "infinity", "1e999", "-1e999", "1,5"}) {
    INFO(text);
    CHECK_FALSE(parse_decimal(text).has_value());
  }
}

}  // namespace gpubench::test::decimal_test
