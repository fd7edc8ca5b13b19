#pragma once
// Joules out of samples: one quantity of a source over time, curves of energy through its readings
// (series.cpp), and what they say of windows of time. Pure functions; docs/energy.md has the reasoning. No
// LibTorch.

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

/// Which readings of a source count.
enum class Quantity {
  kBest,   ///< The counter's where the source has one, else those of power.
  kPower,  ///< Those of power, as if there were no counter.
};

/// A trace prepared once, of which many windows can then be asked. The trace outlives it.
class Evaluation {
 public:
  explicit Evaluation(const PowerTrace& trace, Quantity quantity = Quantity::kBest);

  /// Computes the energy over all `windows` together, which are in order and do not overlap; neighbours that
  /// touch, or nearly, are one window to the source. By counter, or by trapezoids clipped to the windows,
  /// moved back by half of what the sensor averages over. Of the record, the method, the energy, peak,
  /// coverage, samples and the source's period are filled.
  EnergyRecord compute_energy(std::span<const TimeSpan> windows) const;

  /// Computes the energy by the published method (workloads of S1): mean of the power samples in the busy
  /// zone, which reaches from the first window's begin to the last one's end, from their 0.30 quantile
  /// (linear interpolation) up, times the total length of the windows. Biased upward, since the lower samples
  /// are left out. Needs Quantity::kPower.
  EnergyRecord compute_spike_energy(std::span<const TimeSpan> windows) const;

  /// Returns the mean power over a stretch; missing with the reason where the source hardly answered in it.
  Measured<Watts> mean_power(TimeSpan span) const;

  /// Returns the mean powers of equal parts of a stretch: at most `most`, and none shorter than the source's
  /// own.
  std::vector<Measured<Watts>> mean_powers(TimeSpan span, double most) const;

  /// Returns true if power is the same all over a stretch: ten parts of it are within 5 % of each other, or
  /// have no order (has_order() in stats.h). Fewer than five updates count as flat.
  bool is_flat(TimeSpan span) const;

  /// Returns the median time between two changes of what the source shows: of the counter where it has one.
  Measured<Seconds> source_period() const;

  /// Returns the shortest window whose ends are known to 5 % of it.
  Measured<Seconds> least_window() const;

  /// Returns the longest stretch without an answer within the windows that is bridged; 0 without such
  /// stretches.
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
