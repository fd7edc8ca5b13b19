#pragma once
// Work of one row: a training or an operation, and its JSON for pipes and sockets. No LibTorch.

#include <variant>

#include "engine/plan/op_plan.h"
#include "engine/plan/plan.h"
#include "record/document/json.h"

namespace gpubench {

using Work = std::variant<Case, OpWork>;

inline std::int64_t get_repeat(const Work& work) {
  return std::visit([](const auto& row) { return row.asked.repeat; }, work);
}

/// Returns the workload and the values of its parameters.
Json to_json(const Work& work);

/// Reads the result of to_json(). Throws a usage Error for an unknown model or dataset, and a data Error for
/// a value of the wrong type. Does not check operation names.
Work work_from_json(const Json& json, const Catalog<ModelEntry>& models,
                    const Catalog<DatasetEntry>& datasets);

}  // namespace gpubench
