#pragma once
// One factory a dataset, each defined in the file of that name.

#include "gpubench/dataset.h"

namespace gpubench {

#define GPUBENCH_ENTRY(stem) DatasetEntry entry_##stem();
#include "data/catalog.def"
#undef GPUBENCH_ENTRY

}  // namespace gpubench
