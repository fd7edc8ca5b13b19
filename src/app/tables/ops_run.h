#pragma once
// Times operations by themselves.

#include <string>
#include <vector>

#include "app/train_options.h"
#include "engine/plan/op_plan.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// What a table of operations is asked for.
struct OpsOptions : RunOptions {
  /// Operations allocate their results, and what users of LibTorch do so with is the system's.
  OpsOptions() { allocator = "system"; }

  OpPlanOptions plan;                ///< All but its effort, which the next three make.
  std::string protocol = "default";  ///< One of op_protocol_names().
  std::string sample;                ///< Least time of a sample, as parse_duration reads it; empty: 5 ms.
  std::string time;                  ///< Of a row; empty: 0.5 s, of the small set 0.2 s.
  std::vector<std::string> devices{"auto"};
  std::string against;  ///< "published:NAME" or a file; empty: no comparison.
};

/// "default", and "s4": the second of two calls.
std::vector<std::string> op_protocol_names();

/// Measures the rows, or those that the run to resume lacks, and prints them. `arguments` go into the
/// document. Throws a usage Error for what can be told wrong before.
ExitCode run_ops(const OpsOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
