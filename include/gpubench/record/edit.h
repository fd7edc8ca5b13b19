#pragma once
// New results from results: runs of one machine as one; a result without what identifies machine and user.

#include <string>
#include <vector>

#include "gpubench/record/machine_records.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// A run to merge.
struct NamedRun {
  std::string name;  ///< Its file, for messages.
  RunRecord run;
};

/// The cases of all `runs`, at least one, in order. Repetitions of a case are numbered anew, so that no two
/// have the same number. Devices and datasets are united; of what else describes the machine and the plan,
/// the first run tells; `plan.suite` names all suites; the times are those of the first start and the last
/// end.
///
/// Throws a data Error that names what differs where host, CPU, LibTorch or the model of a device do, for
/// figures that were published instead of measured, and for a measurement that is in two of them. `tool` is
/// that of the first run: the caller says who merged.
RunRecord merged(const std::vector<NamedRun>& runs);

/// Removes every text that its field does not mark as an own word, and every reason: numbers, enumerations,
/// names of products, versions and gpubench's own words stay. A removed value is null with the reason
/// "removed" where the field can be absent, else empty, or "removed" where the field cannot be empty. A
/// warning keeps its kind and its figure. Returns the keys of the removed values, each once.
std::vector<std::string> redact(RunRecord& run);
std::vector<std::string> redact(SelftestRecord& selftest);

}  // namespace gpubench
