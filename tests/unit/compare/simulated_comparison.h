#pragma once
// Comparisons of simulated programs: processes differ from each other, and epochs of a process resemble each
// other.

#include <cmath>
#include <cstddef>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "support/noise.h"

namespace gpubench::test {

using Series = std::vector<double>;

/// Seconds of the five epochs of a process, of which the long-run median is `seconds`. `scatter` is the
/// standard deviation between processes, relative; that of epochs is half of it, with an autocorrelation of
/// 0.6.
inline Series simulated_epochs(Noise& noise, double scatter, double seconds) {
  constexpr double kAutocorrelation = 0.6;
  const double process = seconds * std::exp(scatter * noise.normal());
  double state = noise.normal();
  Series epochs;
  for (int epoch = 0; epoch < 5; ++epoch) {
    epochs.push_back(process * std::exp(scatter / 2 * state));
    state = kAutocorrelation * state + std::sqrt(1 - kAutocorrelation * kAutocorrelation) * noise.normal();
  }
  return epochs;
}

/// The median epochs of `count` fresh processes.
inline Series simulated_processes(Noise& noise, double scatter, double seconds, std::size_t count) {
  Series medians;
  for (std::size_t i = 0; i < count; ++i)
    medians.push_back(compute_median(simulated_epochs(noise, scatter, seconds)));
  return medians;
}

/// New over old with `processes` a side, where new takes `slowdown` times as long.
inline Estimate simulated_slowdown(Noise& noise, double scatter, double slowdown, std::size_t processes) {
  const Series before = simulated_processes(noise, scatter, 1, processes);
  const Series after = simulated_processes(noise, scatter, slowdown, processes);
  return ratio_of_medians(after, before);
}

}  // namespace gpubench::test
