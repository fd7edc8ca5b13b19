#pragma once

#include <vector>

#include "gpubench/record/run_record.h"
#include "power/log/power_log.h"

namespace gpubench {

/// Times of a case, on the clock of the traces.
struct EnergyTimes {
  Seconds case_start;      ///< Origin of the case's timeline.
  TimeSpan idle_before{};  ///< Empty if idle power was not measured.
  TimeSpan idle_after{};   ///< Empty if idle power was not measured.
  bool is_settled = true;  ///< Power was flat in both idle times.
};

/// Returns the energy of the epochs. Without kSpikeQ30 it is the difference of a counter if the source has
/// one, else the integral by trapezoids.
EnergyRecord account_for(const PowerTrace& trace, const CaseRecord& record, const EnergyTimes& times,
                         EnergyMethod method = EnergyMethod::kTrapezoid);

/// Returns the windows of all epochs, including the warm-up, on the clock of `case_start`.
std::vector<TimeSpan> epoch_windows(const CaseRecord& record, Seconds case_start);

}  // namespace gpubench
