#include "gpubench/core/stats/stats.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "gpubench/core/collect.h"
#include "support/catch.h"

namespace gpubench::test::rounds_test {
namespace {

using Series = std::vector<double>;

/// Returns the ratio of rounds with these logarithms and durations that differ by up to a factor of 1,000.
Estimate compute_ratio(const Series& logarithms) {
  Series over;
  Series under;
  for (const double logarithm : logarithms) {
    under.push_back(std::pow(10.0, static_cast<double>(under.size() % 4)));
    over.push_back(under.back() * std::exp(logarithm));
  }
  return ratio_of_rounds(over, under);
}

bool excludes_one(const Estimate& ratio) {
  const Interval& interval = ratio.interval.value();
  return interval.low > 1 || interval.high < 1;
}

/// Returns the fraction of all choices of signs for `rounds` logarithms in which the interval excludes 1.
double find_level(std::size_t rounds) {
  const std::size_t ways = std::size_t{1} << rounds;
  std::size_t found = 0;
  for (std::size_t way = 0; way < ways; ++way) {
    Series logarithms;
    for (std::size_t i = 0; i < rounds; ++i)
      logarithms.push_back((way >> i & 1) != 0 ? 0.01 * std::pow(1.7, i) : -0.01 * std::pow(1.7, i));
    if (excludes_one(compute_ratio(logarithms))) ++found;
  }
  return static_cast<double>(found) / static_cast<double>(ways);
}

double log_width(const Estimate& ratio) {
  return std::log(ratio.interval.value().high / ratio.interval.value().low);
}

}  // namespace

TEST_CASE("the estimate is the median of the means of all pairs of rounds") {
  // The pair means of 0, 1, 2, 3, 4, 5 and 60 have the median 3.
  CHECK(compute_ratio({0, 0.1, 0.2, 0.3, 0.4, 0.5, 6}).value == approx(std::exp(0.3)));
  CHECK(compute_ratio({0.1, 0.5}).value == approx(std::exp(0.3)));
}

TEST_CASE("signed ranks have exactly their level, for any sizes of the differences") {
  CHECK(find_level(7) == 2.0 / 128);
  CHECK(find_level(8) == 2.0 / 256);
  CHECK(find_level(9) == 2.0 / 512);
  CHECK(find_level(10) == 4.0 / 1024);
  CHECK(find_level(12) == 14.0 / 4096);  // 20 would be beyond 0.4 %.
}

TEST_CASE("the interval of seven rounds goes from the least to the greatest ratio") {
  const Interval interval = compute_ratio({0.3, 0.1, 0.2, 0.7, 0.4, 0.5, 0.6}).interval.value();
  CHECK(interval.low == approx(std::exp(0.1)));
  CHECK(interval.high == approx(std::exp(0.7)));
}

TEST_CASE("the ratio scales with a side, and swapping the sides inverts it") {
  for (const std::size_t count : {4u, 6u, 7u, 20u}) {
    Series over;
    Series under;
    for (std::size_t i = 1; i <= count; ++i) {
      over.push_back(1 + 0.02 * static_cast<double>(i * i % 7));
      under.push_back(1 + 0.03 * static_cast<double>(i % 5));
    }
    const Estimate plain = ratio_of_rounds(over, under);
    const Series tripled = mapped(over, [](double value) { return 3 * value; });
    CHECK(ratio_of_rounds(tripled, under).interval.value().low == approx(3 * plain.interval.value().low));
    CHECK(ratio_of_rounds(under, over).value == approx(1 / plain.value));
    CHECK(ratio_of_rounds(under, over).interval.value().high == approx(1 / plain.interval.value().low));
  }
}

TEST_CASE("a few rounds prove large differences, but never equality") {
  CHECK(compute_ratio({0.7, 0.7, 0.7}).interval.reason() == "only 3 of the needed 4 rounds");
  CHECK(excludes_one(compute_ratio({0.7, 0.71, 0.69, 0.7})));
  CHECK_FALSE(excludes_one(compute_ratio({0.1, 0.1, 0.1, 0.1, 0.1, 0.1})));
  const Interval equal = compute_ratio({0, 0, 0, 0}).interval.value();
  CHECK(equal.low == approx(1 / 1.25));
  CHECK(equal.high == approx(1.25));
  // A standard deviation of 0.2 over four rounds: Student's quantile at 0.4 % is 8.05.
  const Estimate noisy = compute_ratio({0.8, 1.2, 0.8, 1.2});
  CHECK(std::log(noisy.interval.value().high / noisy.value) == approx(8.0526 * 0.4 / std::sqrt(3) / 2));
}

TEST_CASE("the normal approximation continues the exact distribution") {
  Series logarithms;
  for (int i = 0; i < 60; ++i) logarithms.push_back(std::sin(i));
  const double exact = log_width(compute_ratio(logarithms));
  logarithms.push_back(std::sin(60));
  CHECK(log_width(compute_ratio(logarithms)) == approx(exact).epsilon(0.04));
}

TEST_CASE("a value that is not above 0 leaves no interval, and sides of unequal length are refused") {
  CHECK(ratio_of_rounds(Series{1, 0, 1, 1}, Series{1, 1, 1, 1}).interval.reason() ==
        "a value is not above 0");
  CHECK_THROWS_AS(ratio_of_rounds(Series{}, Series{}), std::invalid_argument);
  CHECK_THROWS_AS(ratio_of_rounds(Series{1, 2}, Series{1}), std::invalid_argument);
}

}  // namespace gpubench::test::rounds_test
