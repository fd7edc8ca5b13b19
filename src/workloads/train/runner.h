#pragma once
// Runs one case in this process: chooses its modes, builds, trains, times, evaluates, records.

#include "engine/api/case_monitor.h"
#include "engine/api/model_cost.h"
#include "engine/plan/plan.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

struct Timeline;  // session.h

/// Returns the modes that the case asks for, has from earlier trials (Case::tried), or has no choice about.
ResolvedModes known_modes(const Case& c, const Device& device);

/// Makes missing trials. Never throws: the notes have the failures.
ResolvedModes try_modes(const Case& c, const Dataset& dataset, Device& device, const Clock& clock);

/// Returns the case with its modes: those that it has or that are known, else by trials here and now.
Case with_modes(Case c, const Dataset& dataset, Device& device, const Clock& clock, Timeline& timeline);

/// Trains one case. Never throws for what goes wrong in it: the row has the status and the reason.
CaseRecord run_case(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                    CaseMonitor& monitor);

/// Counts on the CPU in fp32 with made-up samples. Missing, with the reason, if such a step fails.
Measured<StepCosts> step_costs(const Case& c);

/// Runs steps for about `limit`, at least two. Never throws: the status has the failure.
Pilot run_pilot(const Case& c, const Dataset& dataset, Device& device, const Clock& clock, Seconds limit);

}  // namespace gpubench
