#pragma once
// The factories that catalog.cpp collects: one for each line of catalog.def, defined in <stem>.cpp.

#include "gpubench/op.h"

namespace gpubench {

#define GPUBENCH_ENTRY(stem) OpEntry entry_##stem();
#include "ops/catalog.def"
#undef GPUBENCH_ENTRY

}  // namespace gpubench
