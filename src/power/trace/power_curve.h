#pragma once
// Power over time from a sensor that is read now and then.

#include "power/trace/series.h"

namespace gpubench::power {

/// What a mean over a window may be wrong by.
struct SamplingError {
  double half = 0;       ///< Joules either way, 95 %: of what happened between samples.
  double deviation = 0;  ///< Watts: of one sample from the line between its neighbours.
  std::size_t samples = 0;
};

/// Watts, joined by straight lines. Samples are moved back by half of what the sensor averages over, and
/// repeated readings of one figure are one sample; see docs/energy.md.
class PowerCurve {
 public:
  PowerCurve(const Series& readings, const Cadence& cadence, double averaging);

  /// Joules since the first sample; the first and last power go on outside.
  double at(double time) const;
  SamplingError sampling_error(const TimeSpan& window) const;
  /// Joules either way for what the moments of the samples and their smoothing hide at the window's ends.
  double edge_error(const TimeSpan& window) const;
  /// Joules either way for the figures' last digit.
  double rounding_error(const TimeSpan& window) const { return resolution_ * length_of(window).value; }
  /// Joules either way in stretches without samples.
  double gap_error(const TimeSpan& window) const;

 private:
  double watts(double time) const;
  double range(double begin, double end) const;

  Cadence cadence_;
  double averaging_;
  double resolution_;
  Series points_;
  std::vector<double> joules_;  ///< Up to each point.
};

}  // namespace gpubench::power
