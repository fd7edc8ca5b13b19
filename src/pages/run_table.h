#pragma once
// What a person sees after a run.

#include <string>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// The run as aligned text for a terminal, a row a case, with notes below; ends in a newline. Pure: the same
/// record gives the same bytes, in every locale.
std::string run_table(const RunRecord& run);

}  // namespace gpubench
