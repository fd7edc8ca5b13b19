#pragma once
// Whether a series rises or falls.

#include <cstddef>
#include <span>

namespace gpubench {

/// The fewest values in which a trend can be shown: of four, even a steady fall is no rare accident.
constexpr std::size_t kLeastForTrend = 5;

/// What a series does, spikes notwithstanding.
struct Trend {
  double slope = 0;  ///< Theil-Sen: median change a step, as a part of the median; 0 where that is 0.
  bool is_significant =
      false;  ///< Mann-Kendall test, two-sided, at 5 %. Never for fewer than kLeastForTrend.
};

/// The trend of `values`, in order. Sen 1968 (doi:10.1080/01621459.1968.10480934) for the slope; Mann 1945
/// (doi:10.2307/1907187) and Kendall 1975, with the correction for ties, for its significance. Of more than
/// 2,000 values that many or fewer, evenly spread, are looked at.
Trend trend_of(std::span<const double> values);

/// Whether `values` can be called level: at least kLeastForTrend of them, and without a significant trend, or
/// with one that moves them by less than 1 % from the first to the last.
bool is_level(std::span<const double> values);

}  // namespace gpubench
