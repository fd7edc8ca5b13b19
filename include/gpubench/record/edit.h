#pragma once
// Results by name, and a result without what identifies its machine and its user.

#include <string>
#include <vector>

#include "gpubench/record/machine_records.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

struct NamedRun {
  std::string name;  ///< Its file, for messages.
  RunRecord run;
};

/// Removes every text that its field does not mark as an own word, and every reason: numbers, enumerations,
/// names of products, versions and gpubench's own words stay. A removed value is null with the reason
/// "removed" where the field can be absent, else empty, or "removed" where the field cannot be empty. A
/// warning keeps its kind and its figure. Returns the keys of the removed values, each once.
std::vector<std::string> redact(RunRecord& run);
std::vector<std::string> redact(SelftestRecord& selftest);

}  // namespace gpubench
