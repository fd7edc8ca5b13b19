#pragma once
// Work on the pipe of a child process and on the sockets of ranks.

#include "engine/plan/work.h"
#include "gpubench/model_catalog.h"
#include "record/document/json.h"

namespace gpubench {

/// Returns the values of its parameters, and the workload.
Json to_json(const Work& work);

/// Throws a usage Error for an unknown model or dataset, and a data Error for a value of the wrong kind. An
/// operation may be unknown.
Work work_from_json(const Json& json, const Catalog<ModelEntry>& models,
                    const Catalog<DatasetEntry>& datasets);

}  // namespace gpubench
