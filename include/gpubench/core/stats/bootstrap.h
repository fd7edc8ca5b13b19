#pragma once
// Intervals of medians, and of how much larger one is than another. Deterministic: the same values give the
// same interval everywhere. How often each holds what it is of, by simulation: docs/intervals.md.

#include <cstddef>
#include <span>

#include "gpubench/core/measured.h"
#include "gpubench/core/stats/estimate.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {

/// Number of values that an interval needs.
inline constexpr std::size_t kFewestForInterval = 3;

/// A 95 % interval of the median of values measured one after the other, in that order, so that neighbours
/// resemble each other: where the median of many more of them would be. At most 40 equal stretches of them
/// are taken for a first-order autoregression whose level, scatter and autocorrelation are unknown, and all
/// that these may be is averaged over (Zellner and Tiao 1964, doi:10.1080/01621459.1964.10480726). What
/// changes more slowly than all of the values last is not in it. Missing for fewer than 3 values. Takes a
/// tenth of a millisecond, and a few for 100,000 values.
Measured<Interval> median_interval(std::span<const double> values);

/// The same, where each of `values`, such as epochs, is made of equally many `parts`, in order: their blocks,
/// in seconds or as rates. Fewer values have a narrower interval by them, and a single one has any. Of 20
/// values or more, or without 8 parts, it is median_interval().
Measured<Interval> median_interval_by_parts(std::span<const double> values, std::span<const double> parts);

/// A 95 % interval for values that do not depend on each other, such as the medians of fresh processes: up to
/// seven by Student's distribution around the mean of their logarithms, of six or more, and where one is not
/// above 0, by percentiles of a bootstrap (Efron and Tibshirani 1993, chapter 13), with arms as much longer
/// as few values call for.
Measured<Interval> median_interval_of_independent(std::span<const double> values);

/// The median of `numerators` over that of `denominators`, values above 0 that do not depend on each other,
/// such as the times of fresh processes.
///
/// Up to seven values a side it is Welch's (1947, doi:10.1093/biomet/34.1-2.28) of the difference of the
/// means of logarithms, which holds where one side scatters more than the other. Of more it is of percentiles
/// of a bootstrap that resamples both sides, with arms as much longer in logarithms as Student's distribution
/// with 2 (n - 1) degrees of freedom is wider than the normal one, n values being on the side that has fewer.
/// See tests/unit/core/median_ratio_test.cpp.
///
/// Missing interval for fewer than 3 values on a side, or one that is not above 0. Throws
/// std::invalid_argument where a side has no values.
Estimate ratio_of_medians(std::span<const double> numerators, std::span<const double> denominators);

/// The same where the values of a side were measured one after the other, and before or after those of the
/// other side. They tell how values differ that follow each other, and not how later ones do: where noise
/// rises towards slow changes as 1/f, averages over long stretches of it are no nearer to each other than
/// single values (Allan 1966, doi:10.1109/PROC.1966.4634). So the interval is that of two single values,
/// which scatter as those of each side do: Welch's, of logarithms.
Estimate ratio_of_stretches(std::span<const double> numerators, std::span<const double> denominators);

}  // namespace gpubench
