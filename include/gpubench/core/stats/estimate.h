#pragma once
// A measured figure with the interval that it is known to, and how far apart figures of equal programs are.

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpubench/core/reading.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {

/// A figure and its 95 % interval, both in the same unit. Figures are above 0: times, rates, ratios of them.
struct Estimate {
  double value = 0;
  Reading<Interval> interval{};

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

/// `numerator / denominator` of two figures that were measured independently. The interval combines theirs in
/// logarithms (method of variance estimates recovery; Zou and Donner 2008, doi:10.1002/sim.3095): the
/// distance from the ratio to its end is the root of the summed squares of the distances that push it there.
/// Absent where either is absent, or reaches down to 0.
Estimate ratio_of(const Estimate& numerator, const Estimate& denominator);

/// Two figures of either sign that may have been measured together. Squares of the arms of their 95 %
/// intervals, and the covariance in the same scale: the product of both arms where the figures move together.
struct FigurePair {
  double numerator = 0;
  double denominator = 0;
  double numerator_square = 0;
  double denominator_square = 0;
  double covariance = 0;
};

/// `numerator / denominator` with the interval of Fieller (1954, doi:10.1111/j.2517-6161.1954.tb00159.x): all
/// r for which numerator - r denominator may be 0. Absent where the denominator may be 0, since then any r
/// will do.
Reading<Estimate> fieller_ratio(const FigurePair& pair);

/// The geometric mean of figures that may share what disturbed them: its arms are the means of theirs in
/// logarithms, as where all of them are off by the same, which is the worst case. Absent interval where one
/// of theirs is. Throws std::invalid_argument for no figures.
Estimate geometric_mean_of(std::span<const Estimate> figures);

/// Figures summed up.
struct Average {
  std::size_t count = 0;
  double arithmetic_mean = 0;
  double least = 0;
  double greatest = 0;
  Estimate geometric_mean;
};

/// Throws std::invalid_argument for no figures.
Average average_of(std::span<const Estimate> figures);

/// Of the median of `count` normal values of variance 1: pi / (2 n + pi - 2) for odd n, exact for 1 and for
/// many and within 2 % between, and pi / (2 n + pi - 1) for even n, within 4 %.
double variance_of_median(std::int64_t count);

/// The fewest processes whose scatter tells something.
constexpr std::size_t kLeastProcessesForFloor = 4;

/// What comparisons of a program with itself (A/A) show.
struct NoiseFloor {
  double relative = 0;  ///< 19 of 20 such comparisons differ by less: 0.03 is 3 %.
  double scatter = 0;   ///< Standard deviation of logarithms between processes.
  double one_side = 0;  ///< 19 of 20 medians of a side are nearer than this to what they are in the long run.
};

/// The noise floor for comparisons of two groups of `repetitions` fresh processes each, by their medians,
/// from the figures of processes that ran the same case: their median steady epochs, in seconds.
///
/// exp(t s sqrt(2 v)) - 1, with s the sample standard deviation of the N logarithms, v =
/// variance_of_median(repetitions), and t Student's two-sided 95 % quantile for N - 1 degrees of freedom: the
/// prediction interval of the difference of two further medians (Hahn 1970,
/// doi:10.1080/00224065.1970.11980451). `one_side` is without the 2.
///
/// It holds for processes that differ independently of their order. Where the machine drifts, let the two
/// sides of a comparison alternate, and calibrate over as long a time as a comparison takes.
///
/// Absent for fewer than kLeastProcessesForFloor processes, or if one took no time. Throws
/// std::invalid_argument for fewer than one repetition.
Reading<NoiseFloor> noise_floor(std::span<const double> process_seconds, std::int64_t repetitions);

/// Returns `estimate`, a ratio, with arms that are at least a factor of 1 + `floor`. Without an interval it
/// stays so.
Estimate widened_to(double floor, const Estimate& estimate);

}  // namespace gpubench
