#pragma once
// What must not be in a file that is shared from this machine.

#include "gpubench/record/redaction.h"

namespace gpubench {

/// This host, the user who runs gpubench, and the user's home folder.
Identity own_identity();

}  // namespace gpubench
