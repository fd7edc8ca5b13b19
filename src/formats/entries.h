#pragma once
// The factories that catalog.cpp collects: one for each line of catalog.def, defined in <stem>.cpp.

#include "gpubench/report_writer.h"

namespace gpubench {

#define GPUBENCH_ENTRY(stem) ReportFormat entry_##stem();
#include "formats/catalog.def"
#undef GPUBENCH_ENTRY

}  // namespace gpubench
