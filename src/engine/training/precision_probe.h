#pragma once
// Whether a device can train a model in a precision, found out by trying.

#include <c10/core/Device.h>

#include "engine/plan/plan.h"

namespace gpubench {

/// Makes one step of the case's model on a few samples in the case's precision, or, for TF32, looks whether
/// it changes anything. Throws Unsupported, with what was seen, where the precision does not work. Strict
/// fp32 is taken for granted.
void require_precision(const Case& c, const c10::Device& device);

}  // namespace gpubench
