#pragma once
// Which layout a case of layout `auto` is trained in: a short trial of both in the case's other modes:
// whether they come to the same, and then which is faster. Its outcome is kept for this machine
// (MachineCache).

#include <optional>

#include "engine/plan/plan.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/device.h"

namespace gpubench {

/// The layout that the case asks for or that an earlier trial found; nothing where it takes one. Models
/// without convolutions need none.
std::optional<Choice<Layout>> known_layout(const Case& c, const Device& device);

/// Makes the trial, and keeps what it found. Never throws for what goes wrong: the note says so.
Choice<Layout> try_layouts(const Case& c, const Dataset& dataset, Device& device, const Clock& clock);

}  // namespace gpubench
