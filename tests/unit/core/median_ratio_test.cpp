#include "gpubench/core/stats/bootstrap.h"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "support/noise.h"

namespace gpubench::test {
namespace {

using Series = std::vector<double>;

Series log_normal(Noise& noise, std::size_t count, double scatter) {
  Series values(count);
  for (double& value : values) value = std::exp(scatter * noise.normal());
  return values;
}

/// Part of the comparisons of equal programs whose interval holds 1.
double coverage(std::size_t count, double scatter_above, double scatter_below) {
  constexpr int kRuns = 400;
  Noise noise(count);
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    const Series above = log_normal(noise, count, scatter_above);
    const Interval interval =
        ratio_of_medians(above, log_normal(noise, count, scatter_below)).interval.value();
    if (interval.low <= 1 && 1 <= interval.high) ++covered;
  }
  return static_cast<double>(covered) / kRuns;
}

double log_width(const Estimate& ratio) {
  return std::log(ratio.interval.value().high / ratio.interval.value().low);
}

Estimate median_estimate(const Series& values) {
  return {median_of(values), median_interval_of_independent(values)};
}

}  // namespace

TEST_CASE("nineteen of twenty intervals hold the true ratio, from three values a side on") {
  for (const std::size_t count : {3u, 4u, 5u, 6u, 10u, 20u}) {
    INFO(count << " values");
    CHECK(coverage(count, 0.03, 0.03) >= 0.94);
  }
}

TEST_CASE("where one side scatters much more than the other, intervals hold the true ratio as often") {
  for (const std::size_t count : {3u, 5u, 8u}) {
    INFO(count << " values");
    CHECK(coverage(count, 0.05, 0.01) >= 0.92);
  }
}

TEST_CASE("the scatter of both sides together gives narrower intervals than putting two together") {
  Noise noise(2);
  double jointly = 0;
  double apart = 0;
  for (int run = 0; run < 50; ++run) {
    const Series above = log_normal(noise, 5, 0.03);
    const Series below = log_normal(noise, 5, 0.03);
    jointly += log_width(ratio_of_medians(above, below));
    apart += log_width(ratio_of(median_estimate(above), median_estimate(below)));
  }
  CHECK(jointly < 0.9 * apart);
}

TEST_CASE("the ratio of medians does not depend on order or unit, and is the same each time") {
  const Series above{2.2, 2.0, 2.1, 2.4};
  const Series below{1.0, 1.1, 0.9};
  const Estimate ratio = ratio_of_medians(above, below);
  CHECK(ratio.value == approx(2.15));
  CHECK(ratio_of_medians(above, below) == ratio);
  const Series thousandfold{2200, 2000, 2100, 2400};
  CHECK(ratio_of_medians(thousandfold, below).interval.value().low ==
        approx(1000 * ratio.interval.value().low));
  CHECK(ratio.interval.value().low < 2.0);
  CHECK(ratio.interval.value().high > 2.3);
}

TEST_CASE("equal values on both sides have an exact ratio") {
  const Estimate ratio = ratio_of_medians(Series{3, 3, 3}, Series{2, 2, 2});
  CHECK(ratio.interval.value() == Interval{1.5, 1.5});
}

TEST_CASE("too few values, or one that is not above zero, leave a ratio without an interval") {
  const Series enough{1, 2, 3};
  CHECK(ratio_of_medians(enough, Series{1, 1}).value == 2);
  CHECK_THAT(ratio_of_medians(enough, Series{1, 1}).interval.reason(), contains_text("at least 3 values"));
  CHECK_THAT(ratio_of_medians(Series{4}, enough).interval.reason(), contains_text("at least 3 values"));
  CHECK_THAT(ratio_of_medians(enough, Series{0, 1, 1}).interval.reason(), contains_text("not above 0"));
  CHECK_THROWS_AS(ratio_of_medians(enough, Series{}), std::invalid_argument);
}

}  // namespace gpubench::test
