#pragma once
// One quantity of a source over time, and curves of energy through its readings; docs/energy.md has the
// reasoning.

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "power/log/power_log.h"

namespace gpubench::power {

struct Point {
  double time = 0;
  double value = 0;
};

using Series = std::vector<Point>;

/// Collects the readings of one quantity, such as `&PowerReading::power`; those that failed are left out.
template <class Unit>
Series make_series(const PowerTrace& trace, Measured<Unit> PowerReading::*quantity) {
  Series series;
  for (const PowerSample& sample : trace.samples) {
    const Measured<Unit>& reading = sample.reading.*quantity;
    if (reading.has_value() && std::isfinite(reading.value().value)) {
      series.push_back({sample.time.value, reading.value().value});
    }
  }
  return series;
}

/// Returns the index of the first point at or after `begin`.
std::size_t first_from(const Series& series, double begin);
/// Returns the index of the first point after `end`.
std::size_t first_after(const Series& series, double end);

/// Returns the points in a window.
std::span<const Point> within(const Series& series, const TimeSpan& window);

/// How often a source was asked and how often it had something new to show, in seconds.
struct Cadence {
  double poll = 0;           ///< Median time between two answers; 0 for fewer than two.
  double period = 0;         ///< Median time between two changes; 0 where there are too few to tell.
  std::size_t changes = 0;   ///< How often what it shows changed.
  double update = 0;         ///< Between two independent figures: at least `poll`.
  bool is_stepwise = false;  ///< Asked clearly more often than it changes.
};

Cadence compute_cadence(const Series& series);

/// Returns the largest of 10, 1, 0.1, ... 0.001 of which all values are multiples; 0 for finer ones.
double compute_resolution(const Series& series);

/// Returns the total length of `windows`, in seconds.
double total(std::span<const TimeSpan> windows);

/// Windows as a source sees them.
struct JoinedWindows {
  std::vector<TimeSpan> spans;
  std::vector<TimeSpan> gaps;  ///< The parts of the spans that are between windows.
};

/// Joins neighbours between which the source cannot tell: less than one of its periods apart, or than a
/// hundredth of the shorter one.
JoinedWindows joined(std::span<const TimeSpan> windows, double period);

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

  /// Interpolates between changes.
  double at(double time) const;
  /// Returns the highest power over twenty readings, so that one update more or less hardly matters; 0 for
  /// fewer readings.
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

  void bridge_resets(double usual_watts);
  void find_changes();
  /// Returns the last reading up to then: a counter lags and never leads.
  double least(double time) const;
  /// Returns the first new figure that the counter cannot have had by then already.
  double most(double time) const;

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

  /// Returns joules since the first sample; the first and last power go on outside.
  double at(double time) const;

 private:
  Series points_;
  std::vector<double> joules_;  ///< Up to each point.
};

}  // namespace gpubench::power
