#pragma once
// Whether a document is what it says: by its schema, by what follows from its raw values, by its checksum.
//
// Stateless, hence safe to call from several threads.

#include <string>
#include <vector>

#include "record/document/record_json.h"

namespace gpubench {

/// Returns what is wrong with `document` by the schema of its kind, a sentence each with the place it is
/// about.
std::vector<std::string> schema_faults(const Json& document);
/// The same by a schema of one's own.
std::vector<std::string> faults_by(const Json& schema, const Json& document);

/// Everything that is wrong with `document`: by its schema, derived values that do not follow from its raw
/// ones to within 1e-9 of their size, and a checksum that is not that of its content. A sentence each with
/// its place. Throws nothing for a document of any shape.
std::vector<std::string> document_faults(const Json& document);

}  // namespace gpubench
