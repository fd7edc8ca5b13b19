#include "gpubench/core/stats/estimate.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "gpubench/core/stats/bootstrap.h"
#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "support/noise.h"

namespace gpubench::test {
namespace {

/// The median of five values around 1 whose logarithms have the standard deviation `scatter`.
Estimate measured(Noise& noise, double scatter) {
  std::vector<double> values(5);
  for (double& value : values) value = std::exp(scatter * noise.normal());
  return {median_of(values), median_interval_of_independent(values)};
}

bool holds(const Estimate& estimate, double truth) {
  const Interval& interval = estimate.interval.value();
  return interval.low <= truth && truth <= interval.high;
}

}  // namespace

TEST_CASE("arms of a ratio are the root of the summed squares of the arms that push it there") {
  // In logarithms: arms of 3 below and 6 above over arms of 8 below and 4 above.
  const Estimate above{2, Interval{2 * std::exp(-0.03), 2 * std::exp(0.06)}};
  const Estimate below{4, Interval{4 * std::exp(-0.08), 4 * std::exp(0.04)}};
  const Estimate ratio = ratio_of(above, below);
  CHECK(ratio.value == 0.5);
  CHECK(ratio.interval.value().low == approx(0.5 * std::exp(-0.05)));
  CHECK(ratio.interval.value().high == approx(0.5 * std::exp(0.10)));
}

TEST_CASE("the inverse of a ratio has the inverse interval") {
  const Estimate above{1.1, Interval{1.0, 1.3}};
  const Estimate below{0.9, Interval{0.85, 0.91}};
  const Estimate ratio = ratio_of(above, below);
  const Estimate inverse = ratio_of(below, above);
  CHECK(inverse.value == approx(1 / ratio.value));
  CHECK(inverse.interval.value().low == approx(1 / ratio.interval.value().high));
  CHECK(inverse.interval.value().high == approx(1 / ratio.interval.value().low));
}

TEST_CASE("a ratio to an exact figure has the interval of the other, scaled") {
  const Estimate ratio = ratio_of({3, Interval{2, 5}}, {2, Interval{2, 2}});
  CHECK(ratio.interval.value().low == approx(1));
  CHECK(ratio.interval.value().high == approx(2.5));
}

TEST_CASE("a ratio has a value but no interval where one of the figures has none") {
  const Estimate sure{2, Interval{1.9, 2.1}};
  const Estimate unsure{4, absent("only two processes")};
  CHECK(ratio_of(sure, unsure).value == 0.5);
  CHECK(ratio_of(sure, unsure).interval.reason() == "only two processes");
  CHECK(ratio_of(unsure, sure).interval.reason() == "only two processes");
}

TEST_CASE("a figure whose interval reaches down to zero gives no interval") {
  const Estimate wide{2, Interval{0, 9}};
  const Estimate sure{2, Interval{1.9, 2.1}};
  CHECK_THAT(ratio_of(sure, wide).interval.reason(), contains_text("down to 0"));
  CHECK_THAT(geometric_mean_of(std::array{sure, wide}).interval.reason(), contains_text("down to 0"));
}

TEST_CASE("a geometric mean is the root of the product, and no more precise than what it is made of") {
  const Estimate small{2, Interval{2 * std::exp(-0.03), 2 * std::exp(0.06)}};
  const Estimate large{8, Interval{8 * std::exp(-0.04), 8 * std::exp(0.08)}};
  const Estimate mean = geometric_mean_of(std::array{small, large});
  CHECK(mean.value == approx(4));
  CHECK(mean.interval.value().low == approx(4 * std::exp(-0.035)));
  CHECK(mean.interval.value().high == approx(4 * std::exp(0.07)));
}

TEST_CASE("the geometric mean of one figure is that figure") {
  const Estimate mean = geometric_mean_of(std::array{Estimate{3, Interval{2, 5}}});
  CHECK(mean.value == approx(3));
  CHECK(mean.interval.value().low == approx(2));
  CHECK(mean.interval.value().high == approx(5));
}

TEST_CASE("a quotient by Fieller has as its ends what makes the difference just not significant") {
  const FigurePair pair{4, -2, 0.09, 0.04, -0.02};
  const Estimate ratio = fieller_ratio(pair).value();
  CHECK(ratio.value == -2);
  for (const double r : {ratio.interval.value().low, ratio.interval.value().high}) {
    const double difference = 4 + 2 * r;
    CHECK(difference * difference == approx(0.09 + 2 * 0.02 * r + 0.04 * r * r));
  }
  CHECK(ratio.interval.value().low < -2);
  CHECK(ratio.interval.value().high > -2);
}

TEST_CASE("a quotient by Fieller is absent where what it is divided by may be zero") {
  CHECK_FALSE(fieller_ratio({4, 0.19, 0.09, 0.04, 0}).has_value());
  CHECK(fieller_ratio({4, 0.21, 0.09, 0.04, 0}).has_value());
}

TEST_CASE("an average has both means, the least and the greatest") {
  const Average average = average_of(std::array{Estimate{2}, Estimate{8}});
  CHECK(average.count == 2);
  CHECK(average.arithmetic_mean == approx(5));
  CHECK(average.least == 2);
  CHECK(average.greatest == 8);
  CHECK(average.geometric_mean.value == approx(4));
  CHECK_THROWS_AS(average_of({}), std::invalid_argument);
}

TEST_CASE("a geometric mean has no interval where one figure has none, and nothing has no mean") {
  const std::array figures{Estimate{2, Interval{1, 3}}, Estimate{8, absent("one epoch")}};
  CHECK(geometric_mean_of(figures).value == approx(4));
  CHECK(geometric_mean_of(figures).interval.reason() == "one epoch");
  CHECK_THROWS_AS(geometric_mean_of({}), std::invalid_argument);
}

TEST_CASE("combined intervals of five processes a side hold the truth at least 95 times in 100") {
  constexpr int kRuns = 400;
  Noise noise(5);
  int ratios = 0;
  int means = 0;
  for (int run = 0; run < kRuns; ++run) {
    const Estimate one = measured(noise, 0.03);
    const Estimate other = measured(noise, 0.03);
    if (holds(ratio_of(one, other), 1)) ++ratios;
    if (holds(geometric_mean_of(std::array{one, other}), 1)) ++means;
  }
  CHECK(ratios >= 0.95 * kRuns);
  CHECK(means >= 0.95 * kRuns);
}

}  // namespace gpubench::test
