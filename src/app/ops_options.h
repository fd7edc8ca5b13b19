#pragma once
// What `gpubench ops` was asked for, checked and completed.

#include "app/options.h"
#include "gpubench/record/ops_record.h"

namespace gpubench {

/// The plan with its effort. Throws a usage Error for what can be told wrong without the engine, but for what
/// plan_ops checks.
OpPlanOptions ops_plan(const OpsOptions& options);

/// What a document says of it.
OpsSettings ops_settings(const OpsOptions& options, const OpPlanOptions& plan);

}  // namespace gpubench
