#pragma once
// Runs one case in this process: resolves its modes, builds, trains, times, evaluates, records.

#include "engine/api/case_monitor.h"
#include "engine/api/model_cost.h"
#include "engine/plan/plan.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

struct Timeline;  // session.h

/// Returns the modes that need no trial: requested ones, earlier results (Case::tried), and the only option.
ResolvedModes known_modes(const Case& c, const Device& device);

/// Runs the missing trials and returns all modes. Never throws: failures become notes.
ResolvedModes try_modes(const Case& c, const Dataset& dataset, Device& device, const Clock& clock);

/// Returns the case with all modes resolved, by trials if necessary.
Case with_modes(Case c, const Dataset& dataset, Timeline& timeline);

/// Trains one case. Never throws for failures of the case: the row has the status and the reason.
CaseRecord run_case(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                    CaseMonitor& monitor);

/// Counts steps in fp32 without the device and the data. Missing, with the reason, if a step fails.
Measured<StepCosts> step_costs(const Case& c);

/// Estimates the peak memory of a rank that trains on `samples`, without the device and the data. Sets no
/// `program`. Missing, with the reason, if a step fails.
Measured<MemoryEstimate> estimate_memory(const Case& c, const SplitSizes& samples);

/// Runs at least two steps, for about `limit`. Never throws: the status has the failure.
Pilot run_pilot(const Case& c, const Dataset& dataset, Device& device, const Clock& clock, Seconds limit);

}  // namespace gpubench
