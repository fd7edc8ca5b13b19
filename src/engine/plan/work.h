#pragma once
// A row of any plan before it is run, also as JSON for pipes and sockets. No LibTorch.

#include <variant>

#include "engine/plan/op_plan.h"
#include "engine/plan/plan.h"
#include "record/document/json.h"

namespace gpubench {

using Work = std::variant<Case, OpWork>;

inline std::int64_t get_repeat(const Work& work) {
  return std::visit([](const auto& row) { return row.asked.repeat; }, work);
}

/// Returns how many ranks the row takes.
inline std::int64_t get_ranks(const Work& work) {
  return std::visit([](const auto& row) { return row.asked.ranks; }, work);
}

/// Returns the values of its parameters, and the workload.
Json to_json(const Work& work);

/// Throws a usage Error for an unknown model or dataset, and a data Error for a value of the wrong kind. An
/// operation may be unknown.
Work work_from_json(const Json& json, const Catalog<ModelEntry>& models,
                    const Catalog<DatasetEntry>& datasets);

}  // namespace gpubench
