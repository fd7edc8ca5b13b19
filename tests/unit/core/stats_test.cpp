#include "gpubench/core/stats.h"

#include <stdexcept>
#include <vector>

#include "support/catch.h"

namespace gpubench::test {

TEST_CASE("a summary is that of the textbook") {
  const Summary summary = summarize(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(summary.count == 8);
  CHECK(summary.mean == approx(5));
  CHECK(summary.median == approx(4.5));
  CHECK(summary.stddev.value() == approx(2.1380899353));  // sqrt(32 / 7)
  CHECK(summary.min == approx(2));
  CHECK(summary.max == approx(9));
}

TEST_CASE("the median of an odd count is the middle value, whatever the order") {
  CHECK(summarize(std::vector<double>{9, 1, 5}).median == approx(5));
}

TEST_CASE("the median resists one outlier, the mean does not") {
  const Summary summary = summarize(std::vector<double>{1, 1, 1, 1, 96});
  CHECK(summary.median == approx(1));
  CHECK(summary.mean == approx(20));
}

TEST_CASE("a single value has no spread") {
  const Summary summary = summarize(std::vector<double>{3.5});
  CHECK(summary.mean == approx(3.5));
  CHECK(summary.median == approx(3.5));
  CHECK_FALSE(summary.stddev.has_value());
}

TEST_CASE("nothing cannot be summarised") {
  CHECK_THROWS_AS(summarize(std::vector<double>{}), std::invalid_argument);
}

TEST_CASE("the values stay as they were") {
  const std::vector<double> values{3, 1, 2};
  summarize(values);
  CHECK(values == std::vector<double>{3, 1, 2});
}

}  // namespace gpubench::test
