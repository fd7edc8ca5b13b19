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

std::span<const Point> within(const Series& series, const TimeSpan& window);

/// In seconds.
struct Cadence {
  double poll = 0;           ///< Median time between two answers; 0 for fewer than two.
  double period = 0;         ///< Median time between two changes; 0 where there are too few to tell.
  std::size_t changes = 0;   ///< How often what it shows changed.
  double update = 0;         ///< Between two independent figures: at least `poll`.
  bool is_stepwise = false;  ///< Asked clearly more often than it changes.
};

Cadence compute_cadence(const Series& series);

/// Returns the total length of `windows`, in seconds.
double total(std::span<const TimeSpan> windows);

/// Joules over time: of a counter, constant power between updates; of a sensor, watts joined by lines and
/// moved back by half of its averaging time. See docs/energy.md.
class EnergyCurve {
 public:
  EnergyCurve(Series readings, const Cadence& cadence, bool is_counter, double averaging);

  /// Before the first and after the last update power stays constant. Needs a reading.
  double at(double time) const;
  /// Returns the times between two readings of a counter that fell.
  const std::vector<TimeSpan>& resets() const { return resets_; }

 private:
  struct Segment {
    double begin = 0;
    double joules = 0;  ///< At its begin.
    double watts = 0;   ///< At its begin.
    double rise = 0;    ///< Watts a second.
  };

  void bridge_resets(Series& readings);

  std::vector<Segment> segments_;
  std::vector<TimeSpan> resets_;
};

/// A prepared trace for many windows. The trace outlives it.
class Evaluation {
 public:
  /// Without `uses_counter` as if the source had none.
  explicit Evaluation(const PowerTrace& trace, bool uses_counter = true);

  /// Computes the energy over ordered, disjoint windows; the source joins close neighbours. By counter, or by
  /// trapezoids moved back by half of the sensor's averaging time. Fills the members on the timed epochs.
  EnergyRecord compute_energy(std::span<const TimeSpan> windows) const;

  /// Computes the energy by the published method (S1): mean of the power samples between first begin and last
  /// end from their 0.30 quantile (linear interpolation) up, times the total length. Biased upward.
  static EnergyRecord compute_spike_energy(const PowerTrace& trace, std::span<const TimeSpan> windows);

  /// Returns the mean power; missing, with the reason, where the source hardly answered.
  Measured<Watts> mean_power(TimeSpan span) const;

  /// Returns the mean powers of at most `most` equal parts, none shorter than the source's period.
  std::vector<Measured<Watts>> mean_powers(TimeSpan span, double most) const;

  /// Returns true if ten parts are within 5 % or without order (is_autocorrelated()), or for under five updates.
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
  Series readings_;  ///< Of the counter where there is one, else of power.
  Cadence cadence_;
  double resolution_;
  EnergyCurve curve_;
};

}  // namespace gpubench::power
