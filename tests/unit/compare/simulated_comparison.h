#pragma once
// Comparisons of simulated programs, with variation between processes and autocorrelated epochs.

#include <cmath>
#include <cstddef>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "support/noise.h"

namespace gpubench::test {

using Series = std::vector<double>;

/// Returns five epochs of a process with a long-run median of `seconds`. `scatter` is the relative standard
/// deviation between processes; that of epochs is half of it.
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

/// Returns the median epochs of `count` fresh processes.
inline Series simulated_processes(Noise& noise, double scatter, double seconds, std::size_t count) {
  Series medians;
  for (std::size_t i = 0; i < count; ++i)
    medians.push_back(compute_median(simulated_epochs(noise, scatter, seconds)));
  return medians;
}

/// Returns new time over old time with `processes` per side, if new takes `slowdown` times as long.
inline Estimate simulated_slowdown(Noise& noise, double scatter, double slowdown, std::size_t processes) {
  const Series before = simulated_processes(noise, scatter, 1, processes);
  const Series after = simulated_processes(noise, scatter, slowdown, processes);
  return ratio_of_medians(after, before);
}

}  // namespace gpubench::test
