#pragma once
// What a counter or a sensor that is read now and then tells of the time between its readings; docs/energy.md
// has the reasoning.

#include "power/trace/series.h"

namespace gpubench::power {

/// A stretch in which the counter began anew, and the joules that were put in its place.
struct Bridge {
  TimeSpan span;
  double joules = 0;
};

/// Joules since the counter's first reading. What it shows may be as old as its period, so that the energy
/// at a moment lies between two readings; see docs/energy.md.
class CounterCurve {
 public:
  CounterCurve(Series readings, const Cadence& cadence);

  /// By a straight line between changes.
  double at(double time) const;
  /// The last reading up to then: a counter lags and never leads.
  double least(double time) const;
  /// The first new figure that the counter cannot have had by then already.
  double most(double time) const;
  /// Highest power over twenty readings, so that one update more or less hardly matters; 0 of fewer.
  double peak(const TimeSpan& window) const;
  bool is_changing_in(const TimeSpan& window) const;
  const std::vector<Bridge>& bridges() const { return bridges_; }

 private:
  /// A new figure: the reading that shows it and the one before.
  struct Change {
    double before = 0;
    double time = 0;
    double value = 0;
  };

  void mend(double usual_watts);
  void find_changes();

  Series readings_;
  Cadence cadence_;
  std::vector<Change> changes_;
  Series points_;  ///< When each figure was taken over, and the figure.
  std::vector<Bridge> bridges_;
  double high_watts_ = 0;  ///< Bounds what readings do not: before the first and after the last.
};

/// Watts, joined by straight lines. Samples are moved back by half of what the sensor averages over, and
/// repeated readings of one figure are one sample; see docs/energy.md.
class PowerCurve {
 public:
  PowerCurve(const Series& readings, const Cadence& cadence, double averaging);

  /// Joules since the first sample; the first and last power go on outside.
  double at(double time) const;

 private:
  double watts(double time) const;

  Series points_;
  std::vector<double> joules_;  ///< Up to each point.
};

}  // namespace gpubench::power
