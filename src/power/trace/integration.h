#pragma once
// Energy in joules, from samples over windows of time. Pure functions without LibTorch; see docs/energy.md.

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "power/log/power_log.h"

namespace gpubench::power {

struct Point {
  double time = 0;
  double value = 0;
};

using Series = std::vector<Point>;

/// Returns the successful readings of one quantity, such as `&PowerReading::power`.
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

std::span<const Point> within(const Series& series, const TimeSpan& window);

/// How often a source is read and changes. Times in seconds.
struct Cadence {
  double poll = 0;           ///< Median time between two readings; 0 for fewer than two.
  double period = 0;         ///< Median time between two changes; 0 if there are too few.
  std::size_t changes = 0;   ///< Number of changes.
  double update = 0;         ///< Time between two independent readings; at least `poll`.
  bool is_stepwise = false;  ///< Read clearly more often than it changes.
};

Cadence compute_cadence(const Series& series);

/// Returns the total length of `windows`, in seconds.
double total(std::span<const TimeSpan> windows);

/// Joules over time. Counters: constant power between updates. Sensors: power is interpolated linearly and
/// moved back by half of the averaging time. See docs/energy.md.
class EnergyCurve {
 public:
  EnergyCurve(Series readings, const Cadence& cadence, bool is_counter, double averaging);

  /// Returns the joules at `time`. Assumes constant power before the first and after the last update.
  double at(double time) const;
  /// Returns the spans between two readings in which a counter fell.
  const std::vector<TimeSpan>& resets() const { return resets_; }

 private:
  struct Segment {
    double begin = 0;
    double joules = 0;  ///< Joules at `begin`.
    double watts = 0;   ///< Watts at `begin`.
    double rise = 0;    ///< Watts per second.
  };

  void bridge_resets(Series& readings);

  std::vector<Segment> segments_;
  std::vector<TimeSpan> resets_;
};

/// A trace, prepared for the evaluation of many windows. The trace outlives it.
class Evaluation {
 public:
  /// Ignores a counter unless `uses_counter`.
  explicit Evaluation(const PowerTrace& trace, bool uses_counter = true);

  /// Returns the energy of ordered, disjoint windows, by counter or else by trapezoids. Fills the members of
  /// the record that concern the timed epochs.
  EnergyRecord compute_energy(std::span<const TimeSpan> windows) const;

  /// Returns the energy by the published method (S1): the mean of the power samples between first begin and
  /// last end that are not below their 0.30 quantile, times the total length. Biased upward.
  static EnergyRecord compute_spike_energy(const PowerTrace& trace, std::span<const TimeSpan> windows);

  /// Returns the mean power; missing with the reason if readings cover less than half of the span.
  Measured<Watts> mean_power(TimeSpan span) const;

  /// Returns the mean powers of up to `most` equal parts, each at least one update long.
  std::vector<Measured<Watts>> mean_powers(TimeSpan span, double most) const;

  /// Returns true if ten parts are within 5 % or not autocorrelated, or for under five updates.
  bool is_flat(TimeSpan span) const;

  /// Returns the median time between two changes of the readings.
  Measured<Seconds> source_period() const;

  /// Returns the shortest window whose uncertainty at the ends is 5 % of its length.
  Measured<Seconds> least_window() const;

  /// Returns the longest bridged gap between readings, or 0.
  Seconds longest_gap(std::span<const TimeSpan> windows) const;

  bool has_counter() const { return has_counter_; }
  bool is_empty() const { return readings_.empty(); }
  const Cadence& cadence() const { return cadence_; }
  std::size_t resets() const { return curve_.resets().size(); }

 private:
  Measured<Joules> evaluate(std::span<const TimeSpan> windows) const;
  double edge() const;
  double joules_in(std::span<const TimeSpan> windows) const;
  double coverage(std::span<const TimeSpan> windows) const;
  std::size_t stuck_repeats(std::span<const TimeSpan> windows) const;
  std::string why_silent() const;
  std::string too_short(std::span<const TimeSpan> windows) const;
  std::string too_coarse(double joules, std::span<const TimeSpan> windows) const;

  const PowerTrace& trace_;
  bool has_counter_;
  Series power_;
  Series readings_;  ///< Readings of the counter if the source has one, else of power.
  Cadence cadence_;
  double resolution_;
  EnergyCurve curve_;
};

}  // namespace gpubench::power
