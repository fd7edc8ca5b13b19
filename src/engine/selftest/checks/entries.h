#pragma once
// The factories that catalog.cpp collects: one for each line of catalog.def, defined in <stem>.cpp.

#include "engine/selftest/check.h"

namespace gpubench {

#define GPUBENCH_ENTRY(stem) CheckEntry check_##stem();
#include "engine/selftest/checks/catalog.def"
#undef GPUBENCH_ENTRY

}  // namespace gpubench
