#pragma once
// What a row of the table of operations asks for.

#include <cstdint>

#include "gpubench/core/units.h"
#include "gpubench/record/op_case.h"
#include "gpubench/record/op_record.h"

namespace gpubench {

/// How long a row is measured.
struct OpEffort {
  Seconds sample{0.005};  ///< A sample lasts at least so long.
  Seconds limit{0.5};     ///< No sample begins later, but for the first three if within 10 s.
  std::size_t most_samples = 100;
  bool is_second_call = false;  ///< Instead of all that, as S4 did: two calls, of which the second counts.
};

/// What to run.
struct OpRequest {
  OpCase sizes;
  OpType type = OpType::kFp32;
  OpDirection direction = OpDirection::kForward;
  OpCache cache = OpCache::kWarm;
  std::uint64_t seed = 0;  ///< Of the inputs.
  OpEffort effort;
};

}  // namespace gpubench
