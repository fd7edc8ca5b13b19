#pragma once
// Work as JSON, for child processes and journals.

#include "engine/plan/op_plan.h"
#include "engine/plan/plan.h"
#include "record/document/record_json.h"

namespace gpubench {

/// The keys are the long names of the options that set the values.
Json to_json(const Case& c);
Json to_json(const OpWork& work);

/// Throws a usage Error for an unknown model or dataset, and a data Error for a value of the wrong kind.
Case plan_case_from_json(const Json& json, const Catalog<ModelEntry>& models,
                         const Catalog<DatasetEntry>& datasets);

/// The operation may be unknown. Throws a data Error for a value of the wrong kind.
OpWork op_work_from_json(const Json& json);

}  // namespace gpubench
