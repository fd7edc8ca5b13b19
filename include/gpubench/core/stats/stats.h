#pragma once
// Statistics of repeated measurements, the only place where they are computed. Deterministic: the same values
// give the same figures everywhere. docs/intervals.md has how often each interval is right.

#include <cstddef>
#include <span>
#include <vector>

#include "gpubench/core/measured.h"

namespace gpubench {

/// From `low` to `high`, in the unit of the sample.
struct Interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Summary of a sample, in the unit of the sample.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;        ///< Mean of the two middle values where the count is even.
  Measured<double> stddev;  ///< Sample standard deviation (n - 1); absent for a single value.
  double mad = 0;           ///< Median absolute deviation from the median, unscaled; 0 for a single value.
  double min = 0;
  double max = 0;
};

/// Summarises `values`, in any order. Throws std::invalid_argument for an empty span.
Summary summarize(std::span<const double> values);

/// The median of `values`, in any order. Throws std::invalid_argument for an empty span.
double compute_median(std::span<const double> values);

/// The value that `part` of `values` do not exceed, 0.99 for the 99th percentile: between the two that are
/// next to it in order, by how near it is to each (Hyndman and Fan 1996, doi:10.1080/00031305.1996.10473566,
/// type 7). Throws std::invalid_argument for an empty span.
double compute_quantile(std::span<const double> values, double part);

/// Returns the positions of the values whose modified z-score, 0.6745 (x - median) / MAD, is beyond 3.5
/// (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993). None where the MAD is 0, as on a coarse
/// clock, on which more than half of the values are equal.
std::vector<std::size_t> outliers(std::span<const double> values);

/// Moves values that are farther from the median than `reach` times MAD / 0.6745, the standard deviation of
/// normal values, to that distance. If the MAD is 0, all values stay.
void clip_spikes(std::vector<double>& values, double reach);

/// The fewest values in which a trend can be shown: of four, even a steady fall is no rare accident.
constexpr std::size_t kLeastForTrend = 5;

/// Direction of a series, spikes notwithstanding.
struct Trend {
  double slope = 0;  ///< Theil-Sen: median change a step, as a part of the median; 0 where that is 0.
  bool is_significant = false;  ///< Mann-Kendall, two-sided, at 5 %. Never for fewer than kLeastForTrend.
};

/// Returns the trend of `values`, in order, which come in whole periods of `period`: a profile that all
/// periods share is no trend. Slope by Sen 1968 (doi:10.1080/01621459.1968.10480934) and, with periods,
/// Hirsch, Slack and Smith 1982 (doi:10.1029/WR018i001p00107); significance by Mann 1945
/// (doi:10.2307/1907187) and Kendall 1975, corrected for ties and for the resemblance of neighbours (Hamed
/// and Rao 1998, doi:10.1016/S0022-1694(97)00125-X). By simulation 3 to 6 % of series of 50 values without a
/// trend have a significant one. Uses at most about 2,000 values, in evenly spread periods.
Trend compute_trend(std::span<const double> values, std::size_t period = 1);

/// Returns whether `values` are at least kLeastForTrend, without a significant trend or with one that moves
/// them by less than 1 % from the first to the last.
bool is_level(std::span<const double> values, std::size_t period = 1);

/// Returns whether neighbours among `values`, in order, resemble each other more than by chance, as on a
/// slope or at a step: one-sided at 5 %, by von Neumann's ratio (1941, doi:10.1214/aoms/1177731677). Never
/// for fewer than 5 values or equal ones.
bool has_order(std::span<const double> values);

/// The quantile of the normal distribution for a two-sided interval of 95 %.
constexpr double kNormalScore = 1.959964;

/// Returns the 95 % quantile of Student's distribution over that of the normal one (Abramowitz and
/// Stegun 26.7.5). It is 3 % too low for two degrees of freedom, 1 % for three, right to 0.3 % from four on.
double student_factor(double freedom);

// Figures with their intervals: medians, and how much larger one is than another.

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
