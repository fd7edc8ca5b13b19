#pragma once

#include "app/command.h"

namespace gpubench {

/// Adds `gpubench file import-power`: energy of a run from a log that another program recorded meanwhile.
void add_import_power(CommandParser parser);

}  // namespace gpubench
