#pragma once
// Whether a case of execution `auto` may be recorded: a trial of whether recorded steps come to the same as
// steps launched one by one, whose outcome is kept for this machine (MachineCache).

#include <optional>

#include "engine/plan/plan.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"

namespace gpubench {

/// What the case asks for or what an earlier trial found; nothing where it takes one. The layout of the case
/// is not `auto`.
std::optional<Choice<Execution>> known_execution(const Case& c, const Device& device);

/// Makes the trial, and keeps what it found: graph, or eager and why. Never throws for what goes wrong: the
/// note says so.
Choice<Execution> try_execution(const Case& c, const Dataset& dataset, Device& device, const Clock& clock);

}  // namespace gpubench
