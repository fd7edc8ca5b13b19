#pragma once
// What the parts of the measurement of a device's roof share.

#include "engine/api/peak.h"
#include "engine/timing/call_time.h"

namespace gpubench {

/// Collects points. Refers to all that it is made of.
class PeakProbe {
 public:
  PeakProbe(Device& device, const Clock& clock, PeakEffort effort, const TellPoint& tell)
      : device_(device), clock_(clock), is_trial_(effort == PeakEffort::kTrial), tell_(tell) {}

  Device& device() const { return device_; }
  bool is_trial() const { return is_trial_; }

  /// A call that takes longer is not worth its time.
  Seconds longest_call() const { return {is_trial_ ? 0.02 : 2.0}; }

  /// What tensors may take in all: half of what is free.
  Bytes memory() const;

  /// Time of a call of `work`.
  Seconds time(const std::function<void()>& work) const;

  /// Likewise, of a single call.
  Seconds time_once(const std::function<void()>& work) const;

  /// Adds a point with what `measure` returns, or with the reason why it threw. Returns its value.
  Reading<double> add(PeakKind kind, const std::string& precision, std::int64_t size,
                      const std::function<double()>& measure);
  void add_absent(PeakKind kind, const std::string& precision, const std::string& reason);

  const std::vector<PeakPoint>& points() const { return points_; }

 private:
  void add(PeakPoint point);

  Device& device_;
  const Clock& clock_;
  bool is_trial_;
  const TellPoint& tell_;
  std::vector<PeakPoint> points_;
};

// The parts. What a device cannot do becomes a point without a value.
void measure_products(PeakProbe& probe);
void measure_bandwidth(PeakProbe& probe);
void measure_latency(PeakProbe& probe);

}  // namespace gpubench
