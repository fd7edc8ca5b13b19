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

/// New time over old time.
struct SimulatedLoss {
  Estimate ratio;
  double freedom = 0;
};

inline SimulatedLoss make_loss(const Series& before, const Series& after) {
  return {ratio_of_medians(after, before), freedom_of_ratio(after, before, /*is_of_stretches=*/false)};
}

/// Returns the loss with `processes` per side, if new takes `slowdown` times as long.
inline SimulatedLoss simulated_slowdown(Noise& noise, double scatter, double slowdown,
                                        std::size_t processes) {
  const Series before = simulated_processes(noise, scatter, 1, processes);
  const Series after = simulated_processes(noise, scatter, slowdown, processes);
  return make_loss(before, after);
}

}  // namespace gpubench::test
