#pragma once
// Which rows a table of collectives has. No LibTorch.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/op_work.h"

namespace gpubench {

/// What was asked for, as names that are not yet checked.
struct NetPlanOptions {
  std::vector<std::string> collectives;   ///< Empty: all.
  std::string sizes = "4:1073741824:*4";  ///< Bytes, as parse_sweep() reads them.
  std::vector<std::int64_t> ranks;        ///< Set; each at least 2.
  std::int64_t repeat = 1;                ///< Repetitions of every row.
  OpEffort effort;
};

/// "all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_receive".
std::vector<std::string> collective_names();

/// The rows in the order ranks, collectives, sizes, repetitions. Throws a usage Error that names the option.
std::vector<OpWork> plan_net(const NetPlanOptions& options, const std::string& device);

}  // namespace gpubench
