#pragma once
// Joules out of samples. Pure functions; docs/energy.md has the reasoning. No LibTorch.

#include <span>

#include "power/trace/curves.h"

namespace gpubench {

/// Below so much coverage there is no figure.
inline constexpr double kLeastCoverage = 0.95;

/// Where what a source cannot resolve is more than this part of the timed epochs, there is no figure, and the
/// reason says how long a window would do (`--min-energy-time`).
inline constexpr double kMostUnresolved = 0.25;

namespace power {

/// A trace made ready once, of which many windows can then be asked. The trace outlives it.
class Evaluation {
 public:
  explicit Evaluation(const PowerTrace& trace);

  /// Energy over all `windows` together, which are in order and do not overlap; neighbours that touch, or
  /// nearly, are one window to the source. By counter where the source has one, else by trapezoids clipped to
  /// the windows, moved back by half of what the sensor averages over. Of the record, the method, the energy,
  /// peak, coverage, samples and the source's period are filled.
  EnergyRecord compute_energy(std::span<const TimeSpan> windows) const;
  /// As the function of that name below.
  EnergyRecord compute_spike_energy(std::span<const TimeSpan> windows) const;
  /// Mean power over a stretch; absent with the reason where the source hardly answered in it.
  Measured<Watts> mean_power(TimeSpan span) const;
  /// Whether power is the same all over a stretch: ten parts of it are within 5 % of each other, or have no
  /// order (has_order() in stats.h). Of fewer than five updates nobody can tell, which counts as flat.
  bool is_flat(TimeSpan span) const;
  /// Median time between two changes of what the source shows: of the counter where it has one.
  Measured<Seconds> source_period() const;
  /// How long a window has to be for its ends to be known to 5 % of it.
  Measured<Seconds> least_window() const;

  /// The longest stretch without an answer within the windows that is bridged; 0 where there is none.
  Seconds longest_gap(std::span<const TimeSpan> windows) const;
  bool has_counter() const { return has_counter_; }
  const Cadence& cadence() const { return cadence_; }
  bool is_empty() const { return readings_.empty(); }
  std::size_t resets() const { return counter_.bridges().size(); }

 private:
  Measured<Joules> evaluate(std::span<const TimeSpan> windows) const;
  /// Seconds by which the source cannot tell where a window begins and ends.
  double edge() const;
  double joules_in(std::span<const TimeSpan> windows) const;
  double coverage(std::span<const TimeSpan> windows) const;
  Measured<Watts> peak(std::span<const TimeSpan> windows) const;
  /// What the source last said where it did not answer, within the windows if it did so there.
  std::string refusal_in(std::span<const TimeSpan> windows) const;
  /// Says what coverage is needed, and what would give it.
  std::string coverage_advice(std::span<const TimeSpan> windows) const;
  /// How often a stuck source showed its last value; 0 for one that is not stuck.
  std::size_t stuck_repeats(std::span<const TimeSpan> windows) const;
  std::string pauses_between(std::span<const TimeSpan> windows) const;
  std::string too_short(std::span<const TimeSpan> windows) const;
  /// Why the source is too coarse for the windows; empty where it is not.
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

}  // namespace power

/// The published method (workloads of S1): mean of the power samples in the busy zone, which reaches from the
/// first window's begin to the last one's end, from their 0.30 quantile (linear interpolation) up, times
/// the total length of the windows. Biased upward, since the lower samples are left out.
EnergyRecord compute_spike_energy(const PowerTrace& trace, std::span<const TimeSpan> windows);

}  // namespace gpubench
