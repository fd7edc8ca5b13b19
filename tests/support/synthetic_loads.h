#pragma once
// Loads that resemble training.

#include <cmath>
#include <cstdint>

#include "support/synthetic_meters.h"

namespace gpubench::test {

/// Returns constant power with noise.
inline Load steady_load(double seconds, std::uint64_t seed) {
  Noise noise(seed);
  return Load(seconds, [&](double) { return 250 + 5 * noise.normal(); });
}

/// Returns power that rises from 100 W to 300 W, without noise.
inline Load ramp_load(double seconds) {
  return Load(seconds, [=](double time) { return 100 + 200 * time / seconds; });
}

/// Returns power with short spikes at random times.
inline Load spike_load(double seconds, double per_second, double length, std::uint64_t seed) {
  Noise noise(seed);
  double begin = 0;
  return Load(seconds, [&](double time) {
    while (time >= begin + length) begin += length - std::log(noise.uniform()) / per_second;
    return (time >= begin ? 400 : 200) + noise.normal();
  });
}

}  // namespace gpubench::test
