#pragma once
// Catalog of the workloads of cases. Implementations: src/workloads, one folder each; see CONTRIBUTING.md.

#include <string>
#include <vector>

#include "gpubench/core/catalog.h"

namespace gpubench {

/// Catalog entry of a workload, such as training or inference.
struct WorkloadEntry {
  std::string name;                    ///< Command, and `workload` of its rows: "infer".
  std::string summary;                 ///< One line for `gpubench --help`.
  std::vector<std::string> protocols;  ///< Choices of timed work; the first is the default.
  std::vector<std::string> unused;     ///< Keys of parameters that must have their defaults.
  std::string example;                 ///< Arguments of a typical run, for the help.
  bool trains = true;                  ///< False: runs forward only, in order, on the test split.
};

/// Returns all workloads, in the order of src/record/workloads.def.
const Catalog<WorkloadEntry>& workloads();

/// Returns the protocols of all workloads.
std::vector<std::string> protocol_names();

/// Returns the workload with this protocol. Throws a usage Error for an unknown protocol.
const WorkloadEntry& workload_for(const std::string& protocol);

}  // namespace gpubench
