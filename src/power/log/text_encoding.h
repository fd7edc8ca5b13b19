#pragma once
// Bytes of a log as UTF-8 text, whatever program or system wrote them.

#include <string>
#include <vector>

#include "gpubench/core/units.h"

namespace gpubench {

/// Unpacks gzip, xz, bzip2 and zstd, and turns UTF-16 and Latin-1 into UTF-8; adds a note for each of these.
/// A byte-order mark is dropped. Throws a data Error for a damaged archive, and for text of more than `most`.
std::string decoded_text(std::string bytes, Bytes most, std::vector<std::string>& notes);

}  // namespace gpubench
