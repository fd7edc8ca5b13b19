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

/// The cases of all `runs`, at least one, in order. Repetitions of a case are numbered again, so that no two
/// have the same number. Devices, datasets and names of suites are united, the times are those of the first
/// start and the last end, and the rest is that of the first run.
///
/// Throws a data Error that names what differs where host, CPU, LibTorch or the model of a device do, for
/// published figures, and for a measurement that is in two of them.
RunRecord merged(const std::vector<NamedRun>& runs);

/// Removes every text that its field does not mark as an own word, and every reason. A removed value is null
/// with the reason "removed" where the field can be absent, else empty, or "removed" where it cannot be. A
/// warning keeps its kind and its figure. Returns the keys of the removed values, each once.
std::vector<std::string> redact(RunRecord& run);
std::vector<std::string> redact(SelftestRecord& selftest);

}  // namespace gpubench
