#pragma once
// The factory of every line of catalog.def: `CommandEntry entry_<stem>()`.

#include "app/command.h"

namespace gpubench {

#define GPUBENCH_ENTRY(stem) CommandEntry entry_##stem();
#include "app/commands/catalog.def"
#undef GPUBENCH_ENTRY

}  // namespace gpubench
