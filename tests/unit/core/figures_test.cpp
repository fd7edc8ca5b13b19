#include "gpubench/core/text/figures.h"

#include <limits>

#include "support/catch.h"

namespace gpubench::test {

TEST_CASE("thousands are separated") {
  CHECK(with_separators(0) == "0");
  CHECK(with_separators(999) == "999");
  CHECK(with_separators(1000) == "1,000");
  CHECK(with_separators(1234567) == "1,234,567");
  CHECK(with_separators(-999) == "-999");
  CHECK(with_separators(-1000) == "-1,000");
}

TEST_CASE("figures have three digits") {
  CHECK(figure_text(0) == "0");
  CHECK(figure_text(0.041249) == "0.0412");
  CHECK(figure_text(-2.4) == "-2.40");
  CHECK(figure_text(99.94) == "99.9");
  CHECK(figure_text(99.95) == "100");
  CHECK(figure_text(45'678.4) == "45,678");
  CHECK(figure_text(1.234e15) == "1.23e+15");
  CHECK(figure_text(std::numeric_limits<double>::quiet_NaN()) == "-");
}

TEST_CASE("parts of a whole are percentages") {
  CHECK(percent_text(0.0123) == "1.2 %");
  CHECK(percent_text(0.994) == "99 %");
  CHECK(percent_text(1.5) == "150 %");
}

}  // namespace gpubench::test
