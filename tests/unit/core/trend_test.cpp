#include "gpubench/core/stats/stats.h"

#include <cmath>
#include <map>
#include <vector>

#include "support/catch.h"
#include "support/noise.h"

namespace gpubench::test::trend_test {
namespace {

using Series = std::vector<double>;

/// The published Mann-Kendall test, pair by pair.
bool has_trend_by_pairs(const Series& values) {
  const auto count = static_cast<double>(values.size());
  double rises = 0;
  double variance = count * (count - 1) * (2 * count + 5);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      rises += (values[j] > values[i] ? 1 : 0) - (values[j] < values[i] ? 1 : 0);
    }
  }
  std::map<double, double> ties;
  for (const double value : values) ties[value] += 1;
  for (const auto& [value, tied] : ties) variance -= tied * (tied - 1) * (2 * tied + 5);
  return std::abs(rises) - 1 > 1.959964 * std::sqrt(variance / 18);
}

}  // namespace

TEST_CASE("the slope is the change per step, relative to the median") {
  CHECK(compute_trend(Series{8, 9, 10, 11, 12}).slope == approx(0.1));
  CHECK(compute_trend(Series{12, 11, 10, 9, 8}).slope == approx(-0.1));
  CHECK(compute_trend(Series{3, 3, 3}).slope == 0);
}

TEST_CASE("the slope is 0 without values, for a single value, and around a median of 0") {
  CHECK(compute_trend(Series{}).slope == 0);
  CHECK(compute_trend(Series{7}).slope == 0);
  CHECK(compute_trend(Series{-1, 0, 1}).slope == 0);
}

TEST_CASE("a trend of five falling values is significant, a trend of four is not") {
  CHECK(compute_trend(Series{5, 4, 3, 2, 1}).is_significant);
  CHECK_FALSE(compute_trend(Series{4, 3, 2, 1}).is_significant);
}

TEST_CASE("significance agrees with the published test") {
  // Nine values in which 30 of 36 pairs rise: S = 24, Z = 23 / sqrt(92) = 2.40. With 27: S = 18, Z = 1.77.
  CHECK(compute_trend(Series{3, 1, 4, 2, 6, 5, 9, 7, 8}).is_significant);
  CHECK_FALSE(compute_trend(Series{4, 1, 5, 2, 7, 3, 9, 6, 8}).is_significant);
}

TEST_CASE("a trend of autocorrelated values is less significant") {
  // 30 of 36 pairs rise here, too.
  CHECK_FALSE(compute_trend(Series{3, 2, 1, 4, 7, 6, 5, 8, 9}).is_significant);
}

TEST_CASE("a pattern that repeats in every period is not a trend, and does not hide one") {
  const Series level{1, 2, 9, 1.1, 1.9, 9.05, 0.9, 2.05, 8.9, 1.05, 2.1, 8.95};
  CHECK(is_level(level, 3));
  Series rising = level;
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] += static_cast<double>(i / 3);
  CHECK_FALSE(is_level(rising, 3));
  CHECK(compute_trend(rising, 3).slope * compute_median(rising) == approx(1.0 / 3).epsilon(0.05));
}

TEST_CASE("without autocorrelation, significance counts every pair except ties") {
  Noise noise(5);
  std::size_t significant = 0;
  for (std::size_t count = 20; count < 200; ++count) {
    Series values;
    std::size_t drawn = 0;
    for (std::size_t i = 0; i < count; ++i) {
      drawn = i % 2 == 0 ? noise.below(12) : 11 - drawn;
      values.push_back(static_cast<double>(drawn + i / 20));
    }
    INFO(count << " values");
    const bool expected = has_trend_by_pairs(values);
    CHECK(compute_trend(values).is_significant == expected);
    significant += expected ? 1 : 0;
  }
  CHECK(significant > 20);
  CHECK(significant < 180);
}

TEST_CASE("values are level without a trend or with a negligible trend") {
  CHECK(is_level(Series{1, 3, 2, 3, 1, 2}));
  CHECK(is_level(Series{1, 1.001, 1.002, 1.003, 1.004, 1.005}));
  CHECK_FALSE(is_level(Series{1, 1.01, 1.02, 1.03, 1.04, 1.05}));
}

TEST_CASE("slopes and steps are order; spikes and four values are not") {
  CHECK(is_autocorrelated(Series{1, 2, 3, 4, 5, 6}));
  CHECK(is_autocorrelated(Series{9, 9, 1, 1, 1, 1, 1, 1, 1, 1}));
  CHECK_FALSE(is_autocorrelated(Series{1, 1, 1, 1, 9, 1, 1, 1, 1, 1}));
  CHECK_FALSE(is_autocorrelated(Series{5, 5, 5, 5, 5}));
  CHECK_FALSE(is_autocorrelated(Series{1, 2, 3, 4}));
}

TEST_CASE("5 % of the series of independent values have an order by chance") {
  Noise noise(2);
  int found = 0;
  for (int run = 0; run < 4000; ++run) {
    Series values(10);
    for (double& value : values) value = noise.normal();
    found += is_autocorrelated(values) ? 1 : 0;
  }
  CHECK(found >= 0.04 * 4000);
  CHECK(found <= 0.06 * 4000);
}

TEST_CASE("the trend of a long series is computed from evenly spread values") {
  Series rising(100'000);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = 1 + 1e-6 * static_cast<double>(i);
  CHECK(compute_trend(rising).slope == approx(1e-6 / compute_median(rising)).epsilon(1e-3));
  CHECK(compute_trend(rising).is_significant);
  CHECK_FALSE(is_level(rising));
}

}  // namespace gpubench::test::trend_test
