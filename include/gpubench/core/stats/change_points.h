#pragma once
// Change points in the history of a benchmark: where a series of runs moved to another level. Deterministic.
//
// A machine's noise is autocorrelated, may switch between two speeds, and has spikes. Significance therefore
// comes from surrogates: simulated first-order autoregressions, AR(1), with the autocorrelation of the
// machine. Two statistics share the level. Three quarters go to a step that stays, fitted by generalised
// least squares to clipped values; this finds a change three runs old. One quarter goes to the E-divisive
// statistic of ranks, which also finds changes that were undone. With ten series a machine, of 8 to 60
// runs, false alarms at p <= 0.05 are 2.5 % (white noise, two speeds, spikes) to 4.8 % (AR(1) 0.6). A
// step of three standard deviations in the middle half of 20 runs is found in 98 % (white) and 81 % (AR(1)
// 0.6). docs/research/change-points.md has the tables, the alternatives and the limits.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "gpubench/core/stats/stats.h"

namespace gpubench {

/// The split of a series into [0, position) and [position, end), the values from `end` on left out.
struct SeriesSplit {
  std::size_t position = 0;
  std::size_t end = 0;
  double statistic = 0;  ///< In the unit of the values.
};

/// Returns the split with the largest E-divisive statistic for alpha = 1 (Matteson and James 2014,
/// doi:10.1080/01621459.2013.849605): over all ends and positions with at least `fewest` values on either
/// side. The mean distance within a single value is 0. The smallest end wins among equal ones, then the
/// smallest position; values within a rounding error of 1e-12 are equal. Takes O(n^2) time and O(n) memory.
/// Throws std::invalid_argument for fewer than 2 * `fewest` values, or where `fewest` is 0.
SeriesSplit best_split(std::span<const double> values, std::size_t fewest = 1);

/// Returns the lag-1 autocorrelation of a machine's noise, from 0 to 0.9, pooled over its series of runs.
/// Series are in order and end with the same run; those that rise and fall together weigh less. It is the 85
/// % quantile of the posterior distribution under Gaussian AR(1) noise, times 1.09. The prior has its mode at
/// 2/3. Level, and one step in up to 40 runs, are integrated out, so that changes do not pass for noise. The
/// factor removes the bias for AR(1) 0.6, found by simulation: ten series of 8 to 60 runs give 0.11, 0.33 and
/// 0.62 for 0, 0.3 and 0.6; a single one gives 0.48, 0.61 and 0.74.
double pooled_autocorrelation(std::span<const std::vector<double>> series);

/// The fewest values with a verdict, and the fewest on either side of a change.
inline constexpr std::size_t kFewestForChange = 8;
inline constexpr std::size_t kFewestBesideChange = 3;

/// The first value after a change, and the chance of one as clear without a change.
struct ChangePoint {
  std::size_t position = 0;
  double p_value = 1;
};

/// Finds changes in the series of one machine. Keeps the distributions without a change, by length of a
/// series, so that series share them. Not thread-safe.
class ChangeDetector {
 public:
  /// Takes the `autocorrelation` of the noise, from 0 to 0.9.
  explicit ChangeDetector(double autocorrelation, std::uint64_t seed = 1);

  /// Returns the clearest change of `values`, which are finite and in order. Logarithms are taken of values
  /// that are all above 0. The p-value is 1 for fewer than kFewestForChange values or equal ones, and at
  /// least 1e-6. p-values below 0.02 are from an exponential tail (after Knijnenburg et al. 2009,
  /// doi:10.1093/bioinformatics/btp211).
  ChangePoint clearest(std::span<const double> values);

  /// Returns all changes with a p-value of at most `level`, the clearest of what is left first: each divides
  /// its part of the series in two, and p-values are multiplied by the number of parts.
  std::vector<ChangePoint> find(std::span<const double> values, double level = 0.05);

 private:
  /// Statistics of surrogates, ascending.
  struct Reference {
    std::vector<double> of_split;
    std::vector<double> of_step;
  };
  const Reference& reference(std::size_t length);

  double autocorrelation_;
  std::uint64_t seed_;
  std::map<std::size_t, Reference> references_;
};

/// Returns p-values adjusted for their number, in the same order (Holm 1979, Scand. J. Statist. 6, 65-70).
std::vector<double> adjust_by_holm(std::span<const double> p_values);

/// Returns the median after a change over that before it. The interval of ratio_of_medians() is widened in
/// logarithms by sqrt((1 + a) / (1 - a)) for noise of autocorrelation `a`.
Estimate ratio_across_change(std::span<const double> before, std::span<const double> after,
                             double autocorrelation);

}  // namespace gpubench
