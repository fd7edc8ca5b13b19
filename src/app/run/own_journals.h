#pragma once
// Which journals a gpubench of this user began. Their words may name other files and places on the network;
// those of a journal that came from somewhere else are not followed there.

#include "engine/sweep/journal.h"

namespace gpubench {

/// Where it cannot be kept the user is asked again: that is no error.
void remember_journal(const JournalHeader<Case>& header);

bool is_own_journal(const JournalHeader<Case>& header);

}  // namespace gpubench
