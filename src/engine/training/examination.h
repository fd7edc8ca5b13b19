#pragma once
// What is found out about a case once its figures are safe.

#include "engine/training/session.h"

namespace gpubench {

/// Fills in the cost of the model and of a step, and the profile where the case asks for one. It trains on:
/// call it when nothing else is to be learnt from the model.
void examine(const Case& c, const Session& session, Device& device, Timeline& timeline, CaseRecord& record);

}  // namespace gpubench
