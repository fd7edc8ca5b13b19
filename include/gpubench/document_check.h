#pragma once
// Whether a document is what it says: by its schema, by what follows from its raw values, by its checksum.
//
// Stateless, hence safe to call from several threads.

#include <string>
#include <vector>

#include "gpubench/record_json.h"

namespace gpubench {

/// What is wrong with `document` by the schema called `name`, "run:2", "peak:2" or "ops:1", a sentence each
/// with the place it is about. Beyond the schema: a null member has its `_reason`, and no duration is
/// negative but the differences `startup_seconds` and `launch_cost_seconds`. Throws an internal Error for a
/// schema that there is not.
std::vector<std::string> schema_faults(const Json& document, const std::string& name);

/// The name of the schema that `document` says to follow. Throws a data Error where it says none that is
/// known.
std::string schema_of(const Json& document);

/// The derived values of `document` that do not follow from its raw ones to within 1e-9 of their size, a
/// sentence each with their place. Throws a data Error where the document cannot be read.
std::vector<std::string> derived_faults(const Json& document);

/// Everything that is wrong with `document`: the above, and a checksum that is not that of its content.
/// Throws nothing for a document of any shape.
std::vector<std::string> document_faults(const Json& document);

}  // namespace gpubench
