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
  Seconds sample{0.005};  ///< A sample lasts at least so long.
  Seconds limit{0.5};     ///< No sample begins later, but for the first three if within 10 s.
  std::size_t most_samples = 100;
  bool is_second_call = false;  ///< Instead of all that, as S4 did: two calls, of which the second counts.

  friend bool operator==(const OpEffort&, const OpEffort&) = default;
};

/// What to run of an operation.
struct OpRequest {
  OpCase sizes;
  OpType type = OpType::kFp32;
  OpDirection direction = OpDirection::kForward;
  OpCache cache = OpCache::kWarm;
  std::uint64_t seed = 0;  ///< Of the inputs.
  OpEffort effort;

  friend bool operator==(const OpRequest&, const OpRequest&) = default;
};

/// A row to run.
struct OpWork {
  std::string op;
  OpRequest request;
  std::string device;       ///< Resolved name, e.g. "cuda:0".
  std::int64_t repeat = 1;  ///< From 1.
  std::int64_t ranks = 1;   ///< Of a collective more.

  /// Of this process among the ranks; set before it is run, and no part of the plan.
  std::optional<RankContext> rank_context{};

  friend bool operator==(const OpWork&, const OpWork&) = default;
};

/// A row with all that was asked for, and nothing yet of what happened.
OpRecord describe(const OpWork& work);

}  // namespace gpubench
