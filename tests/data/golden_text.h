#pragma once
// Comparison of a whole text with a file of tests/data/expected.

#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench::test {

/// Checks that `text` is what tests/data/expected/`name` holds. With GPUBENCH_UPDATE_GOLDEN=1 in the
/// environment the file is written instead: look at the difference before committing it.
void check_golden(const std::string& name, const std::string& text);

/// The same for a file of the repository, by its path from the top.
void check_file(const std::string& path, const std::string& text);

/// Returns what is printed after `run`.
std::string outcome_text(const RunRecord& run);

/// Checks that `text` contains each of `parts`.
void check_parts(const std::string& text, const std::vector<std::string>& parts);

/// `text` with one space for each gap between columns, words and lines.
std::string flattened(const std::string& text);

}  // namespace gpubench::test
