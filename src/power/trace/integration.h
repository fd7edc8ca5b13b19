#pragma once
// Energy, in joules, of samples over windows of time. Pure functions; docs/energy.md. No LibTorch.

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

std::size_t first_from(const Series& series, double begin);
std::size_t first_after(const Series& series, double end);

std::span<const Point> within(const Series& series, const TimeSpan& window);

/// Periods of reading and of change, in seconds.
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

/// A stretch in which the counter restarted, and its estimated joules.
struct Bridge {
  TimeSpan span;
  double joules = 0;
};

/// Joules since the first reading. A figure may be as old as the period; see docs/energy.md.
class CounterCurve {
 public:
  CounterCurve(Series readings, const Cadence& cadence);

  /// Interpolates between changes.
  double at(double time) const;
  /// Returns the highest power over twenty readings, which smooths updates; 0 for fewer.
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

/// Watts, joined by lines, moved back by half of the sensor's averaging time; see docs/energy.md.
class PowerCurve {
 public:
  PowerCurve(const Series& readings, const Cadence& cadence, double averaging);

  /// Returns joules since the first sample; the first and last power go on outside.
  double at(double time) const;

 private:
  Series points_;
  std::vector<double> joules_;  ///< Up to each point.
};

/// A prepared trace for many windows. The trace outlives it.
class Evaluation {
 public:
  /// Without `uses_counter` as if the source had none.
  explicit Evaluation(const PowerTrace& trace, bool uses_counter = true);

  /// Computes the energy over ordered, disjoint windows; the source joins close neighbours. By counter, or by
  /// trapezoids moved back by half of the sensor's averaging time. Fills method, energy, peak, coverage,
  /// samples and the source's period.
  EnergyRecord compute_energy(std::span<const TimeSpan> windows) const;

  /// Computes the energy by the published method (S1): mean of the power samples between first begin and last
  /// end from their 0.30 quantile (linear interpolation) up, times the total length. Biased upward.
  static EnergyRecord compute_spike_energy(const PowerTrace& trace, std::span<const TimeSpan> windows);

  /// Returns the mean power; missing, with the reason, where the source hardly answered.
  Measured<Watts> mean_power(TimeSpan span) const;

  /// Returns the mean powers of at most `most` equal parts, none shorter than the source's period.
  std::vector<Measured<Watts>> mean_powers(TimeSpan span, double most) const;

  /// Returns true if ten parts are within 5 % or without order (has_order()), or for under five updates.
  bool is_flat(TimeSpan span) const;

  /// Returns the median time between changes, of the counter if there is one.
  Measured<Seconds> source_period() const;

  /// Returns the shortest window whose ends are known to 5 % of it.
  Measured<Seconds> least_window() const;

  /// Returns the longest bridged stretch without an answer; 0 without one.
  Seconds longest_gap(std::span<const TimeSpan> windows) const;

  bool has_counter() const { return has_counter_; }
  bool is_empty() const { return readings_.empty(); }
  const Cadence& cadence() const { return cadence_; }
  std::size_t resets() const { return counter_.bridges().size(); }

 private:
  Measured<Joules> evaluate(std::span<const TimeSpan> windows) const;
  double edge() const;
  double joules_in(std::span<const TimeSpan> windows) const;
  double coverage(std::span<const TimeSpan> windows) const;
  std::size_t stuck_repeats(std::span<const TimeSpan> windows) const;
  std::string refusal_in(std::span<const TimeSpan> windows) const;
  std::string coverage_advice(std::span<const TimeSpan> windows) const;
  std::string too_short(std::span<const TimeSpan> windows) const;
  std::string too_coarse(double joules, std::span<const TimeSpan> windows) const;

  const PowerTrace& trace_;
  bool has_counter_;
  Series power_;
  Series readings_;  ///< Of the counter where there is one, else of power.
  Cadence cadence_;
  double resolution_;
  CounterCurve counter_;
  PowerCurve curve_;
};

}  // namespace gpubench::power
