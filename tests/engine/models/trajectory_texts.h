#pragma once
// The files of the folder trajectories, without LibTorch, for the source that the build makes of them.

#include <span>

#include "gpubench/core/embedded_text.h"

namespace gpubench {

/// Each is named as its model.
std::span<const EmbeddedText> trajectory_texts();

}  // namespace gpubench
