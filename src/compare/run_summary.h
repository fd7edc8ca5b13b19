#pragma once
// What a run amounts to, in plain words.

#include <vector>

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// What was run where and how much of it ended well, the best figures, how well they are known, and what to
/// mind: failures, data that is not the official one, warnings. Of a publication its own words come first.
std::vector<Paragraph> run_summary(const RunRecord& run);

}  // namespace gpubench
