#include "gpubench/record/workload.h"

namespace gpubench {

const Catalog<WorkloadEntry>& workloads() {
#define GPUBENCH_WORKLOAD(name, ...) WorkloadEntry{#name, __VA_ARGS__},
  static const Catalog<WorkloadEntry> all("workload", {
#include "record/workloads.def"
                                                      });
#undef GPUBENCH_WORKLOAD
  return all;
}

std::vector<std::string> protocol_names() {
  std::vector<std::string> names;
  for (const WorkloadEntry& workload : workloads()) append(names, workload.protocols);
  return names;
}

const WorkloadEntry& workload_for(const std::string& protocol) {
  for (const WorkloadEntry& workload : workloads()) {
    if (std::ranges::find(workload.protocols, protocol) != workload.protocols.end()) return workload;
  }
  throw_unknown_name("--protocol", "protocol", protocol, protocol_names());
}

}  // namespace gpubench
