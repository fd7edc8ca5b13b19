#pragma once
// What to mind about a run before its figures are believed.

#include <string>
#include <vector>

#include "gpubench/record/page.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// "a; b; c", and how many more there are where they are many.
std::string counted(std::vector<std::string> parts);

/// That the figures were published and not measured by gpubench, how they came about, and what the record
/// says to mind. Empty for a measured run.
std::vector<Paragraph> publication_cautions(const std::optional<PublishedRecord>& publication);

/// Cases that failed, data that is not the official one, warnings of the machine: a paragraph each, where
/// there are any.
std::vector<Paragraph> run_cautions(const RunRecord& run);

}  // namespace gpubench
