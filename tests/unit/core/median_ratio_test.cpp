
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "support/noise.h"

namespace gpubench::test::median_ratio_test {
namespace {

using Series = std::vector<double>;

Series log_normal(Noise& noise, std::size_t count, double scatter) {
  Series values(count);
  for (double& value : values) value = std::exp(scatter * noise.normal());
  return values;
}

/// Returns the fraction of the comparisons of equal programs whose interval contains 1.
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

/// Returns values of a machine with 1/f noise: changes on all scales, from one value to hundreds.
Series slow_changes(Noise& noise, std::size_t count) {
  Series logarithms(count);
  for (std::size_t length = 1; length <= 256; length *= 2) {
    double level = noise.normal();
    std::size_t left = 1 + noise.below(length);
    for (double& value : logarithms) {
      value += 0.01 * level;
      if (--left > 0) continue;
      level = noise.normal();
      left = length;
    }
  }
  for (double& value : logarithms) value = std::exp(value);
  return logarithms;
}

using RatioOf = Estimate (*)(std::span<const double>, std::span<const double>);

/// Returns the fraction of the comparisons of equal sides whose interval excludes 1. One side follows the
/// other, with `count` values each.
double false_alarms(RatioOf compute_ratio, std::size_t count) {
  constexpr int kRuns = 1000;
  Noise noise(count);
  int found = 0;
  for (int run = 0; run < kRuns; ++run) {
    const Series both = slow_changes(noise, 2 * count);
    const std::span<const double> values(both);
    const Interval interval = compute_ratio(values.first(count), values.last(count)).interval.value();
    if (interval.low > 1 || interval.high < 1) ++found;
  }
  return static_cast<double>(found) / kRuns;
}

}  // namespace

TEST_CASE("95 % of the intervals contain the true ratio, with three or more values per side") {
  for (const std::size_t count : {3u, 4u, 5u, 6u, 10u, 20u}) {
    INFO(count << " values");
    CHECK(coverage(count, 0.03, 0.03) >= 0.94);
  }
}

TEST_CASE("intervals contain the true ratio as often if one side scatters much more than the other") {
  for (const std::size_t count : {3u, 5u, 8u}) {
    INFO(count << " values");
    CHECK(coverage(count, 0.05, 0.01) >= 0.92);
  }
}

TEST_CASE("the ratio of medians is reproducible and independent of the unit") {
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

TEST_CASE("slow changes raise false alarms between two stretches, unless the interval allows for them") {
  for (const std::size_t count : {3u, 5u, 10u, 20u}) {
    const double by_medians = false_alarms(ratio_of_medians, count);
    const double by_stretches = false_alarms(ratio_of_stretches, count);
    INFO(count << " values: " << by_medians << " and " << by_stretches);
    CHECK(by_medians > 0.1);
    CHECK(by_stretches <= 0.05);
  }
}

TEST_CASE("more values per stretch do not narrow the interval of a ratio of stretches below their scatter") {
  Noise noise(4);
  const Estimate few = ratio_of_stretches(log_normal(noise, 10, 0.03), log_normal(noise, 10, 0.03));
  const Estimate many = ratio_of_stretches(log_normal(noise, 100, 0.03), log_normal(noise, 100, 0.03));
  CHECK(log_width(few) < 1.5 * log_width(many));
  CHECK(log_width(many) == approx(2 * 1.96 * 0.03 * std::sqrt(2)).epsilon(0.15));
  CHECK(ratio_of_stretches(Series{3, 3, 3}, Series{2, 2, 2}).interval.value() == Interval{1.5, 1.5});
  CHECK_THAT(ratio_of_stretches(Series{1, 2}, Series{1, 2}).interval.reason(),
             contains_text("at least 3 values"));
  CHECK_THAT(ratio_of_stretches(Series{1, 2, 3}, Series{0, 1, 1}).interval.reason(),
             contains_text("not above 0"));
}

TEST_CASE("a ratio has no interval with too few values, or with a value that is not above zero") {
  const Series enough{1, 2, 3};
  CHECK(ratio_of_medians(enough, Series{1, 1}).value == 2);
  CHECK_THAT(ratio_of_medians(enough, Series{1, 1}).interval.reason(), contains_text("at least 3 values"));
  CHECK_THAT(ratio_of_medians(Series{4}, enough).interval.reason(), contains_text("at least 3 values"));
  CHECK_THAT(ratio_of_medians(enough, Series{0, 1, 1}).interval.reason(), contains_text("not above 0"));
  CHECK_THROWS_AS(ratio_of_medians(enough, Series{}), std::invalid_argument);
}

}  // namespace gpubench::test::median_ratio_test
