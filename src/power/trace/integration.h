#pragma once
// Joules out of samples. Pure functions; docs/energy.md has the reasoning. No LibTorch.

#include <span>
#include <string>
#include <vector>

#include "power/trace/series.h"

namespace gpubench::power {

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
  Measured<Watts> peak(std::span<const TimeSpan> windows) const;
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
