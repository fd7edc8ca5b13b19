#pragma once
// Tables of the parameters of operations and of collectives.

#include "gpubench/record/op_point.h"
#include "gpubench/record/parameter.h"

namespace gpubench {

// Immutable, safe to read from several threads.
const ParameterTable<OpPoint>& op_parameters();
const ParameterTable<OpPoint>& collective_parameters();

/// Returns "all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_receive".
std::vector<std::string> collective_names();

}  // namespace gpubench
