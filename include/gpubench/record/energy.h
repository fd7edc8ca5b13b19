#pragma once
// Figures of energy and of sustained speed, computed from a case's raw values. See docs/energy.md.

#include "gpubench/core/stats/estimate.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// The energy that stands for a case: that of its device, over all parts of one scope (two processor
/// packages, say).
struct CaseEnergy {
  PowerScope scope = PowerScope::kUnknown;
  EnergyMethod method = EnergyMethod::kTrapezoid;
  std::string meter;
  Estimate epoch_joules;       ///< Gross, of a mean timed epoch, with its 95 % interval.
  Reading<double> net_joules;  ///< Of the same, less mean idle power (before and after) times its time.
  double mean_watts = 0;       ///< Over the timed epochs.
  Reading<double> peak_watts;  ///< Highest of all parts together; absent for several parts.
};

/// Absent, with the reason, where no source measured the case's device, or none could.
Reading<CaseEnergy> case_energy(const CaseRecord& record);

/// Energy of a thousand samples of training.
Reading<double> joules_per_1000_samples(const CaseRecord& record);

/// Speed at first and in the long run: small cases and power limits let machines begin faster than they go
/// on.
struct SustainedSpeed {
  double burst_samples_per_second = 0;      ///< Median of the timed epochs that begin in the first minute.
  double sustained_samples_per_second = 0;  ///< Median of the last half of the timed epochs.
  double kept = 0;                          ///< The second over the first.
  Reading<double> onset_seconds;  ///< From when on, since the first timed epoch, the median of all that
                                  ///< follows is below 95 % of the first minute's.
};

/// Absent for cases whose timed epochs span less than two minutes.
Reading<SustainedSpeed> sustained_speed(const CaseRecord& record);

}  // namespace gpubench
