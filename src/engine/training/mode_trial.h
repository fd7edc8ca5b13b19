#pragma once
// Resolves the modes `auto` of a case, by trials if need be. A trial compares results before it compares
// times: a mode that trains otherwise than the plain one (nchw, eager) is not taken, and its note says so.

#include <optional>

#include "engine/plan/plan.h"
#include "engine/training/session.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"

namespace gpubench {

/// Returns the modes that the case asks for or that earlier trials found; nothing if a trial is needed.
std::optional<ResolvedModes> cached_modes(const Case& c, const Device& device);

/// Makes the trials that are needed and keeps their outcomes. Never throws for what goes wrong: the notes say
/// so.
ResolvedModes try_modes(const Case& c, const Dataset& dataset, Device& device, const Clock& clock);

/// Returns the case with its modes: those that it has or that are known, else by trials here and now.
Case with_modes(Case c, const Dataset& dataset, Device& device, const Clock& clock, Timeline& timeline);

}  // namespace gpubench
