#pragma once
// Several runs of one machine as one.

#include <string>
#include <vector>

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

}  // namespace gpubench
