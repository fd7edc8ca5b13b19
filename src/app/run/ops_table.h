#pragma once
// What `gpubench ops` prints for people.

#include <string>
#include <vector>

#include "gpubench/record/ops_record.h"

namespace gpubench {

/// A line a row: how it ended, its time, and how near that is to what the device can do. Its
/// columns are those of op_fields(); the device has one where there are several.
std::string ops_table(const std::vector<OpRecord>& rows);

/// A word for each operation and type, "ok", "slow", "wrong", "unsupported", "fell back", ..., a table for
/// each device.
std::string ops_matrix(const std::vector<OpRecord>& rows);

/// Why rows are not ok and what makes times doubtful, a line each; what several rows of an operation have in
/// common is told once. Empty where there is nothing to tell.
std::string ops_problems(const std::vector<OpRecord>& rows);

}  // namespace gpubench
