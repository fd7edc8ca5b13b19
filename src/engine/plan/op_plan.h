#pragma once
// Plans of operations and collectives. No LibTorch.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/rank_context.h"
#include "gpubench/record/op_case.h"
#include "gpubench/record/parameter.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

struct OpWork {
  OpPoint asked;  ///< Parameters, with a resolved device.

  std::optional<RankContext> rank_context{};  ///< Set before execution; not part of the plan.
};

/// Returns the row of an operation that was not run.
OpRecord describe(const OpWork& work);

/// Options of a table of operations. Names are not checked.
struct OpPlanOptions {
  Grid<OpPoint> grid{op_parameters()};
  std::string set;         ///< One of op_set_names(); empty: "small" for a matrix, else "published".
  bool is_matrix = false;  ///< Runs the first size of each operation with every type.
  std::string sweep;       ///< Sizes of square matrix products: "256:16384:*2" or "256:1024:+256".
};

/// Returns "published", "small", and "all" (both).
std::vector<std::string> op_set_names();

/// Returns the name of the set in use; empty if sizes are given.
std::string format_set(const OpPlanOptions& options);

/// Returns the rows ordered by operation, size, type, direction, cache, device and repetition. Throws a
/// usage Error that names the option.
std::vector<OpWork> plan_ops(const OpPlanOptions& options);

/// Returns the sizes of "256:4096:*2" or "256:1024:+256". Throws a usage Error that begins with the option.
/// Two square fp32 matrices of the default `largest` take eight terabytes.
std::vector<std::int64_t> parse_sweep(const std::string& text, const char* option = "--sweep",
                                      std::int64_t largest = 1 << 20);

/// Returns the rows ordered by collective, size, device, ranks and repetition. Throws a usage Error that
/// names the option.
std::vector<OpWork> plan_net(const Grid<OpPoint>& grid);

}  // namespace gpubench
