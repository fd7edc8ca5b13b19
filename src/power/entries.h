#pragma once
// The factories that catalog.cpp collects: one for each line of catalog.def, defined in <stem>.cpp.

#include "gpubench/power_meter.h"

namespace gpubench {

#define GPUBENCH_ENTRY(stem) MeterEntry entry_##stem();
#include "power/catalog.def"
#undef GPUBENCH_ENTRY

}  // namespace gpubench
