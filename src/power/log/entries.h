#pragma once
// The factories that power_log.cpp collects: one for each line of catalog.def, defined in <stem>.cpp.

#include "power/log/power_log.h"

namespace gpubench {

#define GPUBENCH_ENTRY(stem) PowerLogFormat entry_##stem();
#include "power/log/catalog.def"
#undef GPUBENCH_ENTRY

}  // namespace gpubench
