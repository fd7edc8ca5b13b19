#pragma once
// Operations that can be asked for, and the rows of a table of them, or of collectives. No LibTorch.

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
  OpPoint asked;  ///< With a resolved device.

  std::optional<RankContext> rank_context{};  ///< Set before it is run, and no part of the plan.
};

/// Returns the row of an operation that was not run.
OpRecord describe(const OpWork& work);

/// Options of a table of operations. Names are not yet checked.
struct OpPlanOptions {
  Grid<OpPoint> grid{op_parameters()};
  std::string set;         ///< One of op_set_names(); empty: published, of a matrix small.
  bool is_matrix = false;  ///< The first size of the set of each operation with every type.
  std::string sweep;       ///< "256:16384:*2" or "256:1024:+256": square products of these sizes.
};

/// Returns "published", "small", and "all": both.
std::vector<std::string> op_set_names();

/// Returns the set whose sizes are run; empty if sizes are given.
std::string format_set(const OpPlanOptions& options);

/// Returns the rows ordered by operation, size, type, direction, cache, device and repetition. Throws a
/// usage Error that names the option.
std::vector<OpWork> plan_ops(const OpPlanOptions& options);

/// Rows of a matrix; two square ones of this size have eight terabytes.
inline constexpr std::int64_t kMostMatrixRows = 1 << 20;

/// Returns the sizes of "256:4096:*2" or "256:1024:+256". Throws a usage Error that begins with the option.
std::vector<std::int64_t> parse_sweep(const std::string& text, const char* option = "--sweep",
                                      std::int64_t largest = kMostMatrixRows);

/// Orders rows by collective, size, device, ranks and repetition. Throws a usage Error naming the option.
std::vector<OpWork> plan_net(const Grid<OpPoint>& grid);

}  // namespace gpubench
