#pragma once
// Validation of documents. Stateless, hence safe to call from several threads.

#include <string>
#include <vector>

#include "record/document/json.h"

namespace gpubench {

/// Returns the faults of `document`, a sentence each with its place: keys and values that the field tables do
/// not allow, values that contradict the status of their row, derived values that do not follow from the raw
/// ones to within 1e-9 of their size, and a checksum that is not that of the content. Throws nothing for a
/// document of any shape.
std::vector<std::string> document_faults(const Json& document);

}  // namespace gpubench
