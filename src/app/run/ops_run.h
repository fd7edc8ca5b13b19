#pragma once
// Times operations by themselves.

#include <string>
#include <vector>

#include "engine/plan/op_plan.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// What a table of operations is asked for.
struct OpsOptions {
  OpPlanOptions plan;                ///< All but its effort, which the next three make.
  std::string protocol = "default";  ///< One of op_protocol_names().
  std::string sample;                ///< Least time of a sample, as parse_duration reads it; empty: 5 ms.
  std::string time;                  ///< Of a row; empty: 0.5 s, of the small set 0.2 s.
  std::vector<std::string> devices{"auto"};
  std::string isolate = "process";  ///< As in TrainOptions: a process for each repetition; "none".
  std::string timeout;              ///< Of a row, as parse_duration reads it; empty: none.
  std::string resume;               ///< Journal, or its result, to continue.
  std::string against;              ///< "published:NAME" or a file; empty: no comparison.
  int threads = 0;                  ///< As in TrainOptions.
  /// Operations allocate their results, and what users of LibTorch do so with is the system's.
  std::string allocator = "system";
  std::string output;      ///< File, folder or "-"; empty means a new file in results/.
  bool is_shared = false;  ///< The result is written redacted; see redaction.h.
  bool is_quiet = false;   ///< Neither progress nor notes on stderr.
};

/// "default", and "s4": the second of two calls.
std::vector<std::string> op_protocol_names();

/// Measures the rows, or those that the run to resume lacks, and prints them. `arguments` go into the
/// document. Throws a usage Error for what can be told wrong before.
ExitCode run_ops(const OpsOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
