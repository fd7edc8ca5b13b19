#pragma once
// Figures with their intervals: medians, and how much larger one is than another. Deterministic: the same
// values give the same interval everywhere. docs/intervals.md has how often each interval is right.

#include <cstddef>
#include <span>

#include "gpubench/core/measured.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {

/// A figure and its 95 % interval, both in the same unit. Figures are above 0: times, rates, ratios of them.
struct Estimate {
  double value = 0;
  Measured<Interval> interval{};

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// Number of values that an interval needs.
inline constexpr std::size_t kFewestForInterval = 3;

/// Returns a 95 % interval of the median of values measured one after the other, in that order: where the
/// median of many more would be. At most 40 equal stretches of them are taken for a first-order
/// autoregression whose parameters are averaged over (Zellner and Tiao 1964,
/// doi:10.1080/01621459.1964.10480726). Excludes changes that are slower than the whole series. Missing for
/// fewer than 3 values.
Measured<Interval> median_interval(std::span<const double> values);

/// Returns the same if each of `values`, such as epochs, is made of equally many `parts`, in order, such as
/// blocks. These narrow the interval of fewer than 20 values; a single one has an interval by them alone.
/// Without 8 parts it is median_interval().
Measured<Interval> median_interval_by_parts(std::span<const double> values, std::span<const double> parts);

/// Returns a 95 % interval for the median of independent values, such as the medians of fresh processes: up
/// to seven by Student's distribution around the mean of their logarithms; of six or more, and if one is not
/// above 0, by percentiles of a bootstrap (Efron and Tibshirani 1993, chapter 13), widened for few values.
Measured<Interval> median_interval_of_independent(std::span<const double> values);

/// Returns the median of `numerators` over that of `denominators`, independent values above 0, such as the
/// times of fresh processes. Up to seven values a side the interval is Welch's (1947,
/// doi:10.1093/biomet/34.1-2.28) for means of logarithms. Of more it is of percentiles of a bootstrap of both
/// sides, widened in logarithms as Student's distribution with 2 (n - 1) degrees of freedom, n values being
/// on the smaller side. Missing interval for fewer than 3 values on a side, or one that is not above 0.
/// Throws std::invalid_argument where a side has no values.
Estimate ratio_of_medians(std::span<const double> numerators, std::span<const double> denominators);

/// Returns the same for sides that were measured one after the other. With noise that rises towards slow
/// changes as 1/f, averages of long stretches are no closer than single values (Allan 1966,
/// doi:10.1109/PROC.1966.4634). So the interval is that of two single values: Welch's, of logarithms.
Estimate ratio_of_stretches(std::span<const double> numerators, std::span<const double> denominators);

/// The fewest rounds whose ratio has an interval.
inline constexpr std::size_t kFewestRounds = 4;

/// Returns how much larger the figures of one side are than those of the other, values above 0 of the same
/// rounds in the same order. Sides alternate in rounds, each in an order drawn at random, so that the test is
/// exact whatever the machine does meanwhile.
///
/// From seven rounds on it is Hodges and Lehmann's estimate of the logarithm (1963,
/// doi:10.1214/aoms/1177704172) with the interval of Wilcoxon's signed-rank test (Hollander, Wolfe and
/// Chicken 2013, doi:10.1002/9781119196037, section 3.3). The interval is of 99.6 %, so that looking at it
/// after every round, up to 60, is right in 95 % (Pocock 1977, doi:10.1093/biomet/64.2.191; found by
/// simulation). Four to six rounds have the geometric mean, with Student's interval of logarithms of 99.6 %
/// and at least a factor of 1.25 either way. docs/comparing.md has the rates.
///
/// Missing interval for fewer than kFewestRounds, or a value that is not above 0. Throws
/// std::invalid_argument for sides that are empty or of different size.
Estimate ratio_of_rounds(std::span<const double> over, std::span<const double> under);

/// Returns the geometric mean of figures that may share what disturbed them. Its arms are the means of theirs
/// in logarithms, the worst case: all are off by the same. Missing interval where one of theirs is. Throws
/// std::invalid_argument for no figures.
Estimate compute_geometric_mean(std::span<const Estimate> figures);

}  // namespace gpubench
