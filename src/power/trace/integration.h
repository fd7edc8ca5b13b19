#pragma once
// Joules out of samples. Pure functions; docs/energy.md has the reasoning. No LibTorch.

#include <span>

#include "gpubench/core/stats/estimate.h"
#include "power/trace/curves.h"

namespace gpubench {

/// The energy of a window.
struct EnergyEstimate {
  Reading<Joules> energy;  ///< Absent, with the reason and, where there is one, the remedy.
  Joules low{0};           ///< 95 % interval, where there is an energy.
  Joules high{0};
  EnergyMethod method = EnergyMethod::kTrapezoid;
  Reading<double> coverage;        ///< Part of the window for which the source answered.
  std::int64_t samples = 0;        ///< Readings within the window.
  Reading<Seconds> source_period;  ///< Median time between two changes of what the source shows.
  Reading<Watts> peak;  ///< Highest power in the window, between two changes of a counter or of power.
};

/// Below so much coverage there is no figure.
inline constexpr double kLeastCoverage = 0.95;

/// An interval of more than this half-width, as a part of the energy, makes the window too short for its
/// source: there is no figure, and the reason says how long a window would do (`--energy-window`).
inline constexpr double kWidestHalf = 0.25;

namespace power {

/// A trace made ready once, of which many windows can then be asked. The trace outlives it.
class Evaluation {
 public:
  explicit Evaluation(const PowerTrace& trace);

  /// As the functions of the same names below.
  EnergyEstimate energy_of(std::span<const TimeSpan> windows) const;
  EnergyEstimate spike_energy_of(std::span<const TimeSpan> windows) const;
  Reading<Watts> mean_power(TimeSpan span) const;
  Reading<Seconds> source_period() const;
  Reading<Seconds> least_window() const;

  /// Joules of one window; NaN where the source does not tell.
  double joules_or_nan(const TimeSpan& window) const;

  /// The longest stretch without an answer within the windows that is bridged; 0 where there is none.
  Seconds longest_gap(std::span<const TimeSpan> windows) const;
  bool has_counter() const { return has_counter_; }
  const Cadence& cadence() const { return cadence_; }
  bool is_empty() const { return readings_.empty(); }
  std::size_t resets() const { return counter_.bridges().size(); }

 private:
  /// Why there is no figure.
  enum class Fault { kNone, kNoWindow, kNoReading, kGaps, kStuck, kPauses, kTooShort };

  /// A figure and its interval, in joules, unless there is a fault.
  struct Range {
    double low = 0;
    double value = 0;
    double high = 0;
  };

  Fault fault_in(std::span<const TimeSpan> windows) const;
  Fault evaluate(std::span<const TimeSpan> windows, Range& range) const;
  Range by_counter(std::span<const TimeSpan> windows, std::span<const TimeSpan> spans) const;
  Range by_power(std::span<const TimeSpan> windows, std::span<const TimeSpan> spans) const;
  double joules_in(std::span<const TimeSpan> windows) const;
  double coverage(std::span<const TimeSpan> windows) const;
  Reading<Watts> peak(std::span<const TimeSpan> windows) const;
  std::size_t longest_repeat(std::span<const TimeSpan> windows) const;
  std::string reason_of(Fault fault, std::span<const TimeSpan> windows) const;
  std::string pauses_between(std::span<const TimeSpan> windows) const;
  std::string too_short(std::span<const TimeSpan> windows) const;

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

/// Energy over all `windows` together, which are in order and do not overlap; neighbours that touch, or
/// nearly, are one window to the source. By counter where the source has one, else by trapezoids clipped to
/// the windows, moved back by half of what the sensor averages over.
EnergyEstimate energy_of(const PowerTrace& trace, std::span<const TimeSpan> windows);

/// The published method (workloads of S1): mean of the power samples in the busy zone, which reaches from the
/// first window's begin to the last one's end, from their 0.30 quantile (linear interpolation) up, times
/// the total length of the windows. Biased upward, since the lower samples are left out.
EnergyEstimate spike_energy_of(const PowerTrace& trace, std::span<const TimeSpan> windows);

/// Mean power over a stretch; absent with the reason where the source hardly answered in it.
Reading<Watts> mean_power(const PowerTrace& trace, TimeSpan span);

/// Median time between two changes of what the source shows: of the counter where it has one.
Reading<Seconds> source_period(const PowerTrace& trace);

/// How long a window the source needs for an interval of at most 5 % either way.
Reading<Seconds> least_window(const PowerTrace& trace);

}  // namespace gpubench
