#pragma once
// Statistics of repeated measurements. The only place where they are computed.

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

}  // namespace gpubench
