#pragma once
// Resolves the modes `auto` of a case by trials. A mode whose results differ from the plain one is not taken.

#include <optional>

#include "engine/plan/plan.h"
#include "engine/training/session.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"

namespace gpubench {

/// Returns the modes that the case asks for or that earlier trials found; nothing if a trial is needed.
std::optional<ResolvedModes> cached_modes(const Case& c, const Device& device);

/// Makes missing trials and keeps their outcomes. Never throws: the notes have the failures.
ResolvedModes try_modes(const Case& c, const Dataset& dataset, Device& device, const Clock& clock);

/// Returns the case with its modes: those that it has or that are known, else by trials here and now.
Case with_modes(Case c, const Dataset& dataset, Device& device, const Clock& clock, Timeline& timeline);

}  // namespace gpubench
