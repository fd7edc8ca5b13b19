#pragma once
// A row of any plan before it is run. No LibTorch.

#include <variant>

#include "engine/plan/op_plan.h"
#include "engine/plan/plan.h"

namespace gpubench {

using Work = std::variant<Case, OpWork>;

inline std::int64_t get_repeat(const Work& work) {
  return std::visit([](const auto& row) { return row.asked.repeat; }, work);
}

inline const std::optional<RankContext>& get_rank_context(const Work& work) {
  return std::visit(
      [](const auto& row) -> const auto& { return row.rank_context; }, work);
}

/// Returns how many ranks the row takes.
inline std::int64_t get_ranks(const Work& work) {
  return std::visit([](const auto& row) { return row.asked.ranks; }, work);
}

}  // namespace gpubench
