#pragma once
// From traces to the records of a case.

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

/// The record of one source over the epochs in the case's timeline. The method is that of the source, counter
/// difference or trapezoid, unless it is kSpikeQ30.
EnergyRecord account_for(const PowerTrace& trace, const CaseRecord& record, const EnergyTimes& times,
                         EnergyMethod method = EnergyMethod::kTrapezoid);

/// The windows of the case's epochs by its timeline, the warm-up included, counted from `case_start`.
std::vector<TimeSpan> epoch_windows(const CaseRecord& record, Seconds case_start);

}  // namespace gpubench
