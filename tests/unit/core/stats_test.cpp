#include "gpubench/core/stats/stats.h"

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "support/catch.h"

namespace gpubench::test::stats_test {

TEST_CASE("a summary has the textbook values") {
  const Summary summary = summarize(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(summary.count == 8);
  CHECK(summary.mean == approx(5));
  CHECK(summary.median == approx(4.5));
  CHECK(summary.stddev.value() == approx(2.1380899353));  // sqrt(32 / 7)
  CHECK(summary.min == approx(2));
  CHECK(summary.max == approx(9));
}

TEST_CASE("a single value has no spread") {
  const Summary summary = summarize(std::vector<double>{3.5});
  CHECK(summary.mean == approx(3.5));
  CHECK(summary.median == approx(3.5));
  CHECK_FALSE(summary.stddev.has_value());
}

TEST_CASE("the median absolute deviation is the median distance from the median, robust to an outlier") {
  CHECK(summarize(std::vector<double>{1, 1, 2, 2, 4, 6, 9}).mad == approx(1));
  CHECK(summarize(std::vector<double>{1, 1, 2, 2, 4, 6, 9000}).mad == approx(1));
  CHECK(summarize(std::vector<double>{1, 2, 4, 8}).mad == approx(1.5));
  CHECK(summarize(std::vector<double>{3.5}).mad == 0);
}

TEST_CASE("a median needs at least one value") {
  CHECK(compute_median(std::vector<double>{9, 1, 5}) == approx(5));
  CHECK(compute_median(std::vector<double>{9, 1, 5, 4}) == approx(4.5));
  CHECK_THROWS_AS(compute_median(std::vector<double>{}), std::invalid_argument);
}

TEST_CASE("values beyond 3.5 scaled MADs are outliers, on both sides and at any position") {
  using Positions = std::vector<std::size_t>;
  CHECK(outliers(std::vector<double>{30, 10, 11, 9, 10.5, 9.5, -20}) == Positions{0, 6});
  CHECK(outliers(std::vector<double>{10, 11, 9, 10.5, 9.5}).empty());
}

TEST_CASE("the limit of an outlier is 3.5 / 0.6745 MADs") {
  // Median 3, MAD 1: the limit is 3 + 5.19.
  CHECK(outliers(std::vector<double>{1, 2, 3, 3, 3, 4, 4, 2, 8.1}).empty());
  CHECK(outliers(std::vector<double>{1, 2, 3, 3, 3, 4, 4, 2, 8.3}) == std::vector<std::size_t>{8});
}

TEST_CASE("no outlier is marked if more than half of the values are equal, or without values") {
  CHECK(outliers(std::vector<double>{5, 5, 5, 5, 6}).empty());
  CHECK(outliers(std::vector<double>{}).empty());
  CHECK(outliers(std::vector<double>{5}).empty());
}

TEST_CASE("a summary needs at least one value") {
  CHECK_THROWS_AS(summarize(std::vector<double>{}), std::invalid_argument);
}

}  // namespace gpubench::test::stats_test
