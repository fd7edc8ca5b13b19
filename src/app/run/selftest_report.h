#pragma once
// What `gpubench selftest` prints.

#include <string>
#include <vector>

#include "gpubench/record/selftest_record.h"

namespace gpubench {

/// A line for each check, and how many ended how: for people, in columns.
std::string selftest_table(const std::vector<CheckRow>& checks);

/// Whether one of them failed.
bool has_failed(const std::vector<CheckRow>& checks);

}  // namespace gpubench
