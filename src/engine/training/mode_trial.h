#pragma once
// What the modes `auto` of a case become where that takes a trial. A trial looks at results before it looks
// at time: a mode that trains otherwise than the plain one (nchw, eager) is not taken, and its note says so.

#include <optional>

#include "engine/plan/plan.h"
#include "engine/training/session.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"

namespace gpubench {

/// What the case asks for or what earlier trials found; nothing where it takes one.
std::optional<ResolvedModes> cached_modes(const Case& c, const Device& device);

/// Makes the trials that it takes, and keeps what they found. Never throws for what goes wrong: the notes say
/// so.
ResolvedModes try_modes(const Case& c, const Dataset& dataset, Device& device, const Clock& clock);

/// The case with its modes: those that it has or that are known, else by trials here and now.
Case with_modes(Case c, const Dataset& dataset, Device& device, const Clock& clock, Timeline& timeline);

}  // namespace gpubench
