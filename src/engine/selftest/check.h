#pragma once
// A check of selftest: its place in the catalog, and how it says what it found.

#include <string>
#include <vector>

#include "engine/selftest/subject.h"
#include "gpubench/core/catalog.h"
#include "gpubench/record/selftest_record.h"

namespace gpubench {

using CheckRows = std::vector<CheckRow>;

/// A check. Implementations live in src/engine/selftest/checks, a file each.
struct CheckEntry {
  std::string name;   ///< "losses".
  std::string claim;  ///< What is true where it passes.
  /// The rows, without device, name, claim and time. What it throws is a row that failed.
  CheckRows (*run)(Subject& subject);
};

/// All checks, in the order of src/engine/selftest/checks/catalog.def.
const Catalog<CheckEntry>& checks();

/// The rows of a check, whole. Never throws for what goes wrong in it.
CheckRows run_check(const CheckEntry& check, Subject& subject);

// What a check can find of `what`, which is empty where there is one thing alone.
CheckRow passed(const std::string& what, const std::string& message);
CheckRow failed(const std::string& what, const std::string& message);
CheckRow unchecked(const std::string& what, const std::string& why);

/// Passes where `is_true`.
CheckRow decided(const std::string& what, bool is_true, const std::string& message);

/// Passes where `deviation` is a number of at most `tolerance`.
CheckRow compared(const std::string& what, double deviation, double tolerance, const std::string& message);

/// How far `found` is from `expected`, as a part of that.
double relative_difference(double found, double expected);

}  // namespace gpubench
