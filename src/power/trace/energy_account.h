#pragma once

#include <vector>

#include "gpubench/record/run_record.h"
#include "power/log/power_log.h"

namespace gpubench {

/// When things happened, on the clock of the traces.
struct EnergyTimes {
  Seconds case_start;      ///< `started_at` of the case; its timeline counts from here.
  TimeSpan idle_before{};  ///< Empty spans: idle was not measured.
  TimeSpan idle_after{};
  bool is_settled = true;  ///< Power was flat in both.
};

/// Returns the record over the epochs of the timeline: counter difference or trapezoid, unless kSpikeQ30.
EnergyRecord account_for(const PowerTrace& trace, const CaseRecord& record, const EnergyTimes& times,
                         EnergyMethod method = EnergyMethod::kTrapezoid);

/// Returns the windows of all epochs, the warm-up included, counted from `case_start`.
std::vector<TimeSpan> epoch_windows(const CaseRecord& record, Seconds case_start);

}  // namespace gpubench
