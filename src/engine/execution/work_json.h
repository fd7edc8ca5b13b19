#pragma once
// Work as JSON: how it is handed to a child process, and what a journal's plan consists of.

#include "engine/plan/work_kinds.h"
#include "record/document/record_json.h"

namespace gpubench {

/// The keys are the long names of the options that set the values.
Json to_json(const Case& c);
Json to_json(const OpWork& work);

/// The case that `json` describes. Throws a usage Error for a model or dataset that is in no catalog, and a
/// data Error for a value of the wrong kind.
Case plan_case_from_json(const Json& json, const Catalog<ModelEntry>& models,
                         const Catalog<DatasetEntry>& datasets);

/// The operation that `json` describes, which may be none that the engine knows. Throws a data Error for a
/// value of the wrong kind.
OpWork op_work_from_json(const Json& json);

}  // namespace gpubench
