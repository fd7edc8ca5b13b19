#pragma once
// A trace made ready once, of which many windows can then be asked.

#include "power/trace/counter_curve.h"
#include "power/trace/integration.h"
#include "power/trace/power_curve.h"

namespace gpubench::power {

class Evaluation {
 public:
  explicit Evaluation(const PowerTrace& trace);

  /// As the functions of the same names in integration.h.
  EnergyEstimate energy_of(std::span<const TimeSpan> windows) const;
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

}  // namespace gpubench::power
