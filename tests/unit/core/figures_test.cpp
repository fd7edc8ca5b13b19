#include "gpubench/core/text/figures.h"

#include <limits>

#include "support/catch.h"

namespace gpubench::test::figures_test {

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

TEST_CASE("fractions are printed as percentages") {
  CHECK(percent_text(0.0123) == "1.2 %");
  CHECK(percent_text(0.994) == "99 %");
  CHECK(percent_text(1.5) == "150 %");
}

TEST_CASE("amounts have three digits and a suitable prefix") {
  CHECK(prefixed_text(1.434e11, "FLOP/s") == "143 GFLOP/s");
  CHECK(prefixed_text(9.996e11, "FLOP/s") == "1.00 TFLOP/s");
  CHECK(prefixed_text(9.994e11, "FLOP/s") == "999 GFLOP/s");
  CHECK(prefixed_text(2.34e10, "B/s") == "23.4 GB/s");
  CHECK(prefixed_text(9.996e9, "B/s") == "10.0 GB/s");
  CHECK(prefixed_text(2.1e-6, "s") == "2.10 µs");
  CHECK(prefixed_text(1.5, "s") == "1.50 s");
  CHECK(prefixed_text(3e-13, "s") == "0.00 ns");
  CHECK(prefixed_text(5e-7, "s") == "500 ns");
  CHECK(prefixed_text(1'500, "s") == "1500 s");
  CHECK(prefixed_text(-2.1e-3, "s") == "-2.10 ms");
  CHECK(prefixed_text(0, "B/s") == "0.00 B/s");
}

}  // namespace gpubench::test::figures_test
