#pragma once
// What is said below the table: what its columns cannot hold.

#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// Messages come from drivers and libraries: the first line says it, and control characters must not reach
/// the terminal. The result file keeps the whole.
std::string one_line(const std::string& message);

/// Whether a case was run more than once.
bool has_repeats(const std::vector<CaseRecord>& cases);

/// Lines about cases that failed, warnings, data that is not the official one, modes that were chosen, where
/// the time of steps went, and how the figures were made.
std::vector<std::string> table_notes(const RunRecord& run);

}  // namespace gpubench
