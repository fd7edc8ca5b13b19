#pragma once
// A profile in a line, for people.

#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// "a step of 2.41 ms: input 8 %, forward 31 %, ...; operations: matrix product 62 %, ..., rest 3 %": the
/// phases of the whole step, and the kinds of layers of the time in operations, largest first. Empty where
/// the case was not profiled.
std::string profile_text(const CaseRecord& record);

}  // namespace gpubench
