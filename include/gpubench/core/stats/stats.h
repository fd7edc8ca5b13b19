#pragma once
// Statistics of repeated measurements. Deterministic on all platforms. docs/research/intervals.md has the
// coverage of the intervals.

#include <cstddef>
#include <span>
#include <vector>

#include "gpubench/core/measured.h"

namespace gpubench {

/// Interval, in the unit of the sample.
struct Interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Summary of a sample, in the unit of the sample.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double median = 0;        ///< Mean of the two middle values if the count is even.
  Measured<double> stddev;  ///< Sample standard deviation (n - 1); missing for a single value.
  double mad = 0;           ///< Median absolute deviation from the median, unscaled; 0 for a single value.
  double min = 0;
  double max = 0;
};

/// Summarizes `values`, in any order. Throws std::invalid_argument for an empty span.
Summary summarize(std::span<const double> values);

/// Returns the median of `values`, in any order. Throws std::invalid_argument for an empty span.
double compute_median(std::span<const double> values);

/// Returns the quantile `part` of `values`, such as 0.99 for the 99th percentile, by linear interpolation
/// (Hyndman and Fan 1996, doi:10.1080/00031305.1996.10473566, type 7). Throws std::invalid_argument if empty.
double compute_quantile(std::span<const double> values, double part);

/// Returns the positions of the values with a modified z-score, 0.6745 (x - median) / MAD, beyond 3.5
/// (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993). Returns none if the MAD is 0, which
/// happens on a coarse clock if more than half of the values are equal.
std::vector<std::size_t> outliers(std::span<const double> values);

/// Clips values to a distance of `reach` * MAD / 0.6745 from the median. MAD / 0.6745 estimates the standard
/// deviation of normal values. Changes nothing if the MAD is 0.
void clip_spikes(std::vector<double>& values, double reach);

/// Minimum number of values for a trend: four values in falling order are too likely by chance.
constexpr std::size_t kLeastForTrend = 5;

struct Trend {
  double slope = 0;  ///< Theil-Sen: median change per step, as a fraction of the median; 0 if that is 0.
  bool is_significant = false;  ///< Mann-Kendall, two-sided, at 5 %; false below kLeastForTrend values.
};

/// Returns the trend of `values`, in time order, of whole periods of `period` values. A profile common to all
/// periods is not a trend. The slope is by Sen 1968 (doi:10.1080/01621459.1968.10480934) and, with periods,
/// Hirsch, Slack and Smith 1982 (doi:10.1029/WR018i001p00107). The significance is by Mann 1945
/// (doi:10.2307/1907187) and Kendall 1975, corrected for ties and autocorrelation (Hamed and Rao 1998,
/// doi:10.1016/S0022-1694(97)00125-X). In simulations 3 to 6 % of series of 50 values without a trend are
/// significant. Uses at most about 2,000 values, in evenly spread periods.
Trend compute_trend(std::span<const double> values, std::size_t period = 1);

/// Returns true if at least kLeastForTrend values have no significant trend, or one below 1 % in total.
bool is_level(std::span<const double> values, std::size_t period = 1);

/// Returns true if `values`, in time order, are positively autocorrelated, as on a slope or at a step:
/// one-sided test at 5 % of von Neumann's ratio (1941, doi:10.1214/aoms/1177731677). Returns false for fewer
/// than 5 values and for equal values.
bool is_autocorrelated(std::span<const double> values);

/// Normal quantile of a two-sided 95 % interval.
constexpr double kNormalScore = 1.959964;

/// Returns the two-sided 95 % quantile of Student's distribution divided by kNormalScore (Abramowitz and
/// Stegun 26.7.5). The error is 3 % for two degrees of freedom, 1 % for three and below 0.3 % from four on.
double student_factor(double freedom);

// Medians and ratios, with their intervals.

/// A positive figure (time, rate, ratio) and its 95 % interval, in the same unit.
struct Estimate {
  double value = 0;
  Measured<Interval> interval{};

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// Returns 1 / `estimate` with the inverted interval.
Estimate inverted(const Estimate& estimate);

/// Minimum number of values for an interval.
inline constexpr std::size_t kFewestForInterval = 3;

/// Returns a 95 % interval for the long-run median of consecutive values, in time order. Models at most 40
/// means of equal segments as AR(1) and averages over its parameters (Zellner and Tiao 1964,
/// doi:10.1080/01621459.1964.10480726). Excludes changes slower than the whole series. Missing for fewer than
/// kFewestForInterval values.
Measured<Interval> median_interval(std::span<const double> values);

/// Returns median_interval() of `values`, such as epochs, each of which consists of equally many `parts`,
/// such as blocks. For fewer than 20 values the parts narrow the interval; even a single value has one. Fewer
/// than 8 parts are ignored.
Measured<Interval> median_interval_by_parts(std::span<const double> values, std::span<const double> parts);

/// Returns a 95 % interval for the median of independent values, such as the medians of fresh processes. Up
/// to seven values use Student's distribution of logarithms. More values, and values not above 0, use
/// bootstrap percentiles (Efron and Tibshirani 1993, chapter 13), widened for few values. Six or seven use
/// the hull of both.
Measured<Interval> median_interval_of_independent(std::span<const double> values);

/// Returns the degrees of freedom of the interval of ratio_of_medians() or ratio_of_stretches(): Welch's for
/// up to seven values per side, else those of the smaller sample twice. Needs two positive values per side.
double freedom_of_ratio(std::span<const double> numerators, std::span<const double> denominators,
                        bool is_of_stretches);

/// Returns the two-sided p-value of Student's t, with an error below 1e-9 (Abramowitz and Stegun 26.7.1,
/// by the continued fraction of the incomplete beta function, 26.5.8).
double student_p_value(double t, double freedom);

/// Returns the two-sided 95 % quantile of Student's distribution to 1e-9, by bisection of student_p_value().
double student_quantile(double freedom);

/// Returns the ratio of the medians of independent positive values, such as the times of fresh processes. For
/// up to seven values per side, the interval is Welch's (1947, doi:10.1093/biomet/34.1-2.28) for means of
/// logarithms. For more, it has bootstrap percentiles of both sides, with logarithms widened as by Student's
/// distribution with 2 (n - 1) degrees of freedom; n is the size of the smaller side. The interval is missing
/// for fewer than kFewestForInterval values on a side, and for values not above 0. Throws
/// std::invalid_argument if a side is empty.
Estimate ratio_of_medians(std::span<const double> numerators, std::span<const double> denominators);

/// Returns ratio_of_medians() of two sides, one of which was measured entirely before the other. With 1/f
/// noise, averages of long segments differ as much as single values (Allan 1966,
/// doi:10.1109/PROC.1966.4634). The interval is therefore Welch's for two single values, of logarithms.
Estimate ratio_of_stretches(std::span<const double> numerators, std::span<const double> denominators);

/// Minimum number of rounds for an interval.
inline constexpr std::size_t kFewestRounds = 4;

/// Returns the ratio of two sides measured in the same rounds, from positive values in order of rounds. The
/// order within a round is random, so the test is exact even if the machine drifts.
///
/// From seven rounds on it is the Hodges-Lehmann estimate of the logarithm (1963,
/// doi:10.1214/aoms/1177704172) with the interval of Wilcoxon's signed-rank test (Hollander, Wolfe and
/// Chicken 2013, doi:10.1002/9781119196037, section 3.3). The interval has a confidence of 99.6 %, which
/// keeps 95 % if it is checked after each of up to 60 rounds (Pocock 1977, doi:10.1093/biomet/64.2.191; found
/// by simulation). Four to six rounds have the geometric mean, with Student's 99.6 % interval of logarithms
/// and at least a factor of 1.25 either way.
///
/// The interval is missing for fewer than kFewestRounds rounds and for values not above 0. Throws
/// std::invalid_argument for empty sides and sides of different size.
Estimate ratio_of_rounds(std::span<const double> over, std::span<const double> under);

/// Returns the geometric mean of figures whose errors may be correlated. The interval assumes the worst case,
/// full correlation: its arms are the mean arms of the figures, in logarithms. The interval is missing if any
/// is. Throws std::invalid_argument if `figures` is empty.
Estimate compute_geometric_mean(std::span<const Estimate> figures);

}  // namespace gpubench
