#pragma once
// The factory of every line of catalog.def: `DeviceEntry entry_<stem>()`.

#include "gpubench/device.h"

namespace gpubench {

#define GPUBENCH_ENTRY(stem) DeviceEntry entry_##stem();
#include "device/catalog.def"
#undef GPUBENCH_ENTRY

}  // namespace gpubench
