#pragma once
// Comparison of texts with files in tests/data/expected.

#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench::test {

/// Checks that `text` equals tests/data/expected/`name`. GPUBENCH_UPDATE_GOLDEN=1 writes the file instead;
/// review the difference before committing it.
void check_golden(const std::string& name, const std::string& text);

/// Checks that `text` equals a file of the repository, or writes it, as check_golden() does.
void check_file(const std::string& path, const std::string& text);

/// Returns the output after `run`.
std::string outcome_text(const RunRecord& run);

/// Checks that `text` contains each of `parts`.
void check_parts(const std::string& text, const std::vector<std::string>& parts);

/// Replaces each sequence of white space by one space.
std::string flattened(const std::string& text);

}  // namespace gpubench::test
