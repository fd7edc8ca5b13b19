#pragma once
// Every field of the table of operations once, as field_table.h has those of runs.

#include <span>

#include "gpubench/record/field_table.h"
#include "gpubench/record/ops_record.h"

namespace gpubench {

std::span<const Field<OpRecord>> op_fields();
std::span<const Field<OpsSettings>> ops_settings_fields();

}  // namespace gpubench
