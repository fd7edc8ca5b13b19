#pragma once
// Rows of values with a character between them, for spreadsheets and scripts.

#include <functional>
#include <string>

#include "gpubench/record/page.h"

namespace gpubench {

/// Heading and rows of `table`, each line ended by a newline: values in full precision where a cell has one,
/// else its text, never a formula, as `escaped` gives it. A heading has its unit in brackets.
std::string delimited(const Table& table, char delimiter,
                      const std::function<std::string(const std::string&)>& escaped);

}  // namespace gpubench
