#pragma once
// Operations that can be asked for, and the rows of a table of them. No LibTorch.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/plan/rank_context.h"
#include "gpubench/core/units.h"
#include "gpubench/record/op_case.h"
#include "gpubench/record/ops_record.h"

namespace gpubench {

/// How long a row is measured.
struct OpEffort {
  Seconds sample{0.005};  ///< Least time of a sample.
  Seconds limit{0.5};     ///< No sample begins later, except the first three within 10 s.
  std::size_t most_samples = 100;
  bool is_second_call = false;  ///< Instead, as S4 did: two calls, of which the second counts.
};

struct OpRequest {
  OpCase sizes;
  OpType type = OpType::kFp32;
  OpDirection direction = OpDirection::kForward;
  OpCache cache = OpCache::kWarm;
  std::uint64_t seed = 0;  ///< Of the inputs.
  OpEffort effort;
};

/// A row to run.
struct OpWork {
  std::string op;
  OpRequest request;
  std::string device;       ///< Resolved name, e.g. "cuda:0".
  std::int64_t repeat = 1;  ///< From 1.
  std::int64_t ranks = 1;   ///< Of a collective at least 2.

  std::optional<RankContext> rank_context{};  ///< Set before it is run, and no part of the plan.
};

/// Returns the row of an operation that was not run.
OpRecord describe(const OpWork& work);

}  // namespace gpubench
