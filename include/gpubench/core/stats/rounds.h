#pragma once
// The ratio of two sides that were measured in alternation: in rounds, each in an order drawn at random.

#include <cstddef>
#include <span>

#include "gpubench/core/stats/estimate.h"

namespace gpubench {

/// Rounds from which on their ratio has an interval,
inline constexpr std::size_t kFewestRounds = 4;
/// and those from which on it is that of signed ranks.
inline constexpr std::size_t kFewestRankedRounds = 7;

/// How much larger the figures of one side are than those of the other, values above 0 of the same rounds in
/// the same order, at least one of each.
///
/// Which side of a round came first was drawn, so that of equal sides the logarithm of a round's ratio is as
/// often above 0 as below, at any size, whatever the machine does meanwhile: drift, spikes, modes, load. Then
/// Wilcoxon's signed-rank test is exact. The estimate is the one that belongs to it, the median of the means
/// of all pairs of logarithms, each with itself too (Hodges and Lehmann 1963, doi:10.1214/aoms/1177704172),
/// and the interval is from the order statistics of these means (Tukey; Hollander, Wolfe and Chicken 2013,
/// doi:10.1002/9781119196037, section 3.3), with the normal law beyond 60 rounds.
///
/// The interval may be looked at after every round, up to 60, and measuring may stop where it tells: as with
/// Pocock's boundaries (1977, doi:10.1093/biomet/64.2.191) one interval is of so much more than 95 % that all
/// of them together are right in 95 %. That is 99.6 %, found by simulation; of seven and eight rounds the
/// interval goes from the least to the greatest ratio, which is of 98.4 and 99.2 %.
///
/// Four to six rounds have too few orders for such a test. Their estimate is the geometric mean, and the
/// interval is that of Student of logarithms, of 99.6 % and at least a factor of 1.25 either way: they tell
/// what is large, and never that sides are equal. docs/comparing.md has the rates.
///
/// Missing interval for fewer than kFewestRounds, or a value that is not above 0. Throws
/// std::invalid_argument for sides that are empty or of different size.
Estimate ratio_of_rounds(std::span<const double> over, std::span<const double> under);

}  // namespace gpubench
