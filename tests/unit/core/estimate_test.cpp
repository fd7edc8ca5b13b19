
#include <array>
#include <cmath>
#include <stdexcept>

#include "gpubench/core/stats/stats.h"
#include "support/catch.h"

namespace gpubench::test::estimate_test {
TEST_CASE("a mean has no interval if an interval of a figure extends to zero") {
  const Estimate wide{2, Interval{0, 9}};
  const Estimate sure{2, Interval{1.9, 2.1}};
  CHECK_THAT(compute_geometric_mean(std::array{sure, wide}).interval.reason(), contains_text("down to 0"));
}

TEST_CASE("a geometric mean is the root of the product, and has the mean precision of its figures") {
  const Estimate small{2, Interval{2 * std::exp(-0.03), 2 * std::exp(0.06)}};
  const Estimate large{8, Interval{8 * std::exp(-0.04), 8 * std::exp(0.08)}};
  const Estimate mean = compute_geometric_mean(std::array{small, large});
  CHECK(mean.value == approx(4));
  CHECK(mean.interval.value().low == approx(4 * std::exp(-0.035)));
  CHECK(mean.interval.value().high == approx(4 * std::exp(0.07)));
}

TEST_CASE("a geometric mean has no interval if a figure lacks one, and needs at least one figure") {
  const std::array figures{Estimate{2, Interval{1, 3}}, Estimate{8, missing("one epoch")}};
  CHECK(compute_geometric_mean(figures).value == approx(4));
  CHECK(compute_geometric_mean(figures).interval.reason() == "one epoch");
  CHECK_THROWS_AS(compute_geometric_mean({}), std::invalid_argument);
}

}  // namespace gpubench::test::estimate_test
