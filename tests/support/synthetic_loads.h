#pragma once
// Loads as training makes them, at random.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "support/synthetic_meters.h"

namespace gpubench::test {

/// Level but for its noise.
inline Load steady_load(double seconds, std::uint64_t seed) {
  Noise noise(seed);
  return Load(seconds, [&](double) { return 250 + 5 * noise.normal(); });
}

/// From 100 W to 300 W, without any noise.
inline Load ramp_load(double seconds) {
  return Load(seconds, [=](double time) { return 100 + 200 * time / seconds; });
}

/// On and off at random moments, for so long on average.
inline Load telegraph_load(double seconds, double dwell, std::uint64_t seed) {
  Noise noise(seed);
  double until = 0;
  double watts = 300;
  return Load(seconds, [&](double time) {
    while (time >= until) {
      until += -dwell * std::log(noise.uniform());
      watts = watts > 200 ? 120 : 300;
    }
    return watts + noise.normal();
  });
}

/// Steps of a little random length with a pause after each: kernels, and the wait for data.
inline Load step_load(double seconds, double step, std::uint64_t seed) {
  Noise noise(seed);
  double begin = 0;
  double end = 0;
  return Load(seconds, [&](double time) {
    while (time >= end) {
      begin = end;
      end = begin + step * (1 + 0.1 * noise.normal());
    }
    return (time < begin + 0.7 * step ? 310 : 140) + noise.normal();
  });
}

/// Short spikes at random moments.
inline Load spike_load(double seconds, double per_second, double length, std::uint64_t seed) {
  Noise noise(seed);
  double begin = 0;
  return Load(seconds, [&](double time) {
    while (time >= begin + length) begin += length - std::log(noise.uniform()) / per_second;
    return (time >= begin ? 400 : 200) + noise.normal();
  });
}

/// Power that wanders about 250 W.
inline Load wandering_load(double seconds, double memory, std::uint64_t seed) {
  Noise noise(seed);
  double state = 0;
  const double keep = std::exp(-0.001 / memory);
  return Load(seconds, [&](double) {
    state = keep * state + std::sqrt(1 - keep * keep) * noise.normal();
    return std::max(50.0, 250 + 40 * state);
  });
}

/// One of all these, with the idle before and after it: from 10 s on, for `busy` seconds.
inline Load random_load(double busy, std::uint64_t seed) {
  Noise noise(seed);
  const double seconds = busy + 20;
  const auto inner = [&]() -> Load {
    switch (noise.below(6)) {
      case 0:
        return steady_load(seconds, seed);
      case 1:
        return ramp_load(seconds);
      case 2:
        return telegraph_load(seconds, 0.02 + 0.5 * noise.uniform(), seed);
      case 3:
        return step_load(seconds, 0.02 + noise.uniform(), seed);
      case 4:
        return spike_load(seconds, 0.5 + 5 * noise.uniform(), 0.005 + 0.05 * noise.uniform(), seed);
      default:
        return wandering_load(seconds, 0.005 + noise.uniform(), seed);
    }
  }();
  return Load(seconds, [&](double time) {
    const double begin = Load::kOrigin + time;
    if (time < 10 || time >= 10 + busy) return 60 + 0.5 * noise.normal();
    return inner.mean_watts(begin - 0.0005, begin + 0.0005);
  });
}

}  // namespace gpubench::test
