#pragma once
// The factory of every line of catalog.def: `ModelEntry entry_<stem>()`.

#include "gpubench/model_catalog.h"

namespace gpubench {

#define GPUBENCH_ENTRY(stem) ModelEntry entry_##stem();
#include "catalog.def"
#undef GPUBENCH_ENTRY

}  // namespace gpubench
