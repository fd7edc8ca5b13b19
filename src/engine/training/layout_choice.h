#pragma once
// Which layout of images `auto` becomes.

#include <string>

#include "engine/plan/plan.h"
#include "engine/training/timeline.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// What `auto` became, and why.
template <class Mode>
struct Choice {
  Mode used;
  std::string note;  ///< Empty where there is nothing to say.
};

/// The case's layout. `auto` is settled by a short trial of both layouts in the case's other modes, whose
/// outcome is kept for this machine: see MachineCache. Models without convolutions need no trial.
Choice<Layout> choose_layout(const Case& c, const Dataset& dataset, Device& device, const Clock& clock,
                             Timeline& timeline);

}  // namespace gpubench
