#pragma once
// Detection of level changes in the history of a benchmark. Deterministic.
//
// A machine's noise is autocorrelated, may switch between two speeds, and has spikes. Significance is
// therefore computed from surrogates: simulated AR(1) series with the machine's autocorrelation. Two
// statistics share the significance level. Three quarters go to a lasting step, fitted by generalized least
// squares to clipped values; it detects a change after three runs. One quarter goes to the E-divisive
// statistic of ranks, which also detects changes that were reverted. docs/research/change-points.md has error
// rates and limits.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "gpubench/core/stats/stats.h"

namespace gpubench {

/// Split of a series into [0, position) and [position, end). Values from `end` on are ignored.
struct SeriesSplit {
  std::size_t position = 0;
  std::size_t end = 0;
  double statistic = 0;  ///< In the unit of the values.
};

/// Returns the split with the largest E-divisive statistic for alpha = 1 (Matteson and James 2014,
/// doi:10.1080/01621459.2013.849605), with at least `fewest` values on either side. The mean distance within
/// a single value is 0. Ties within 1e-12 go to the smallest end, then to the smallest position. Takes O(n^2)
/// time and O(n) memory. Throws std::invalid_argument for fewer than 2 * `fewest` values or a `fewest` of 0.
SeriesSplit best_split(std::span<const double> values, std::size_t fewest = 1);

/// Returns the lag-1 autocorrelation of a machine's noise, from 0 to 0.9, pooled over its series of runs.
/// Series are in time order and end with the same run; correlated series have less weight. The estimate is
/// the 85 % posterior quantile under Gaussian AR(1) noise, with the prior mode at 2/3. The level and one step
/// in up to 40 runs are integrated out, so that a change does not count as noise. A factor of 1.09, found by
/// simulation, removes the bias at 0.6.
double pooled_autocorrelation(std::span<const std::vector<double>> series);

/// Minimum length of a series, and minimum number of values on either side of a change.
inline constexpr std::size_t kFewestForChange = 8;
inline constexpr std::size_t kFewestBesideChange = 3;

struct ChangePoint {
  std::size_t position = 0;  ///< Position of the first value after the change.
  double p_value = 1;
};

/// Detector of changes in the series of one machine. Caches null distributions by length. Not thread-safe.
class ChangeDetector {
 public:
  /// `autocorrelation` is that of the noise, from 0 to 0.9.
  explicit ChangeDetector(double autocorrelation, std::uint64_t seed = 1);

  /// Returns the most significant change of `values`, which are finite and in time order. Uses logarithms if
  /// all values are above 0. The p-value is 1 for fewer than kFewestForChange values and for equal values. It
  /// is at least 1e-6; below 0.02 an exponential tail approximates it (Knijnenburg et al. 2009,
  /// doi:10.1093/bioinformatics/btp211).
  ChangePoint clearest(std::span<const double> values);

  /// Returns all changes with a p-value of at most `level`, found by binary segmentation: each change divides
  /// its part of the series in two. p-values are multiplied by the number of parts.
  std::vector<ChangePoint> find(std::span<const double> values, double level = 0.05);

 private:
  /// Null distributions from surrogates, ascending.
  struct Reference {
    std::vector<double> split_statistics;
    std::vector<double> step_statistics;
  };
  const Reference& reference(std::size_t length);

  double autocorrelation_;
  std::uint64_t seed_;
  std::map<std::size_t, Reference> references_;
};

/// Returns p-values adjusted for multiple tests, in the same order (Holm 1979, Scand. J. Statist. 6, 65-70).
std::vector<double> adjust_by_holm(std::span<const double> p_values);

/// Returns the median after a change divided by the median before it. The interval is that of
/// ratio_of_medians(), with its logarithm scaled by sqrt((1 + a) / (1 - a)) for an autocorrelation of `a`.
Estimate ratio_across_change(std::span<const double> before, std::span<const double> after,
                             double autocorrelation);

}  // namespace gpubench
