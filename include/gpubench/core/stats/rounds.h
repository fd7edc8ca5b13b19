#pragma once
// The ratio of two sides that were measured in alternation: in rounds, each in an order drawn at random.

#include <cstddef>
#include <span>

#include "gpubench/core/stats/estimate.h"

namespace gpubench {

/// The fewest rounds whose ratio has an interval.
inline constexpr std::size_t kFewestRounds = 4;

/// Returns how much larger the figures of one side are than those of the other, values above 0 of the same
/// rounds in the same order.
///
/// From seven rounds on it is Hodges and Lehmann's estimate of the logarithm (1963,
/// doi:10.1214/aoms/1177704172) with the interval of Wilcoxon's signed-rank test from the order statistics of
/// pair means (Hollander, Wolfe and Chicken 2013, doi:10.1002/9781119196037, section 3.3). The test is exact
/// whatever the machine does meanwhile, as the order within each round is random. The interval is of 99.6 %,
/// so that looking at it after every round, up to 60, is right in 95 % (Pocock 1977,
/// doi:10.1093/biomet/64.2.191; found by simulation).
///
/// Four to six rounds have too few orders for such a test: the geometric mean, with Student's interval of
/// logarithms of 99.6 % and at least a factor of 1.25 either way. docs/comparing.md has the rates.
///
/// Missing interval for fewer than kFewestRounds, or a value that is not above 0. Throws
/// std::invalid_argument for sides that are empty or of different size.
Estimate ratio_of_rounds(std::span<const double> over, std::span<const double> under);

}  // namespace gpubench
