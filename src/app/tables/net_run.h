#pragma once
// Times collectives between ranks.

#include <string>
#include <vector>

#include "app/train_options.h"
#include "engine/plan/op_plan.h"
#include "gpubench/core/error.h"

namespace gpubench {

/// What a table of collectives is asked for.
struct NetOptions : RunOptions {
  NetPlanOptions plan;  ///< All but its effort; no ranks: all that there are.
  std::string sample;   ///< Least time of a sample, as parse_duration reads it; empty: 5 ms.
  std::string time;     ///< Of a row; empty: 0.5 s.
  std::vector<std::string> devices{"auto"};
};

/// Measures the rows, or those that the run to resume lacks, and prints them; as a rank other than 0 does its
/// part of it. Throws a usage Error for what can be told wrong before.
ExitCode run_net(const NetOptions& options, const std::vector<std::string>& arguments);

}  // namespace gpubench
