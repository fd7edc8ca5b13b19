#pragma once
// Published times of operations that come with the program: results/reference/ops-published.tsv.

#include <string>
#include <vector>

#include "gpubench/record/ops_record.h"

namespace gpubench {

/// The tables that `name` means: "m3-max" those of each backend of a machine, "m3-max/mps" one of them.
/// Throws a usage Error that names the nearest known one.
std::vector<OpsRecord> published_ops(const std::string& name);

/// All names of machines with their backends, as "m3-max/mps".
std::vector<std::string> published_ops_names();

}  // namespace gpubench
