#pragma once
// Named results, and removal of text that identifies a machine or its user.

#include <string>
#include <vector>

#include "gpubench/record/machine_records.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

struct NamedRun {
  std::string name;  ///< File name, for messages.
  RunRecord run;
};

/// Removes all text that is not marked own_word(), and all reasons. Numbers, enumerations, product names,
/// versions and gpubench's own words stay. A removed value becomes null with the reason "removed" if the
/// field can be missing, else "", or "removed" if it cannot be empty. A warning keeps its kind and its
/// figure. Returns the keys of the removed values, without duplicates.
std::vector<std::string> redact(RunRecord& run);
std::vector<std::string> redact(SelftestRecord& selftest);

}  // namespace gpubench
