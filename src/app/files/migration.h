#pragma once
// Documents of older versions as the present one has them.

#include <string>

#include "record/document/json.h"

namespace gpubench {

/// The text of `document`, which is of a run, of operations or of a peak, of any version. Throws a data Error
/// where it is none, with the place of what is wrong.
std::string migrated(const Json& document);

}  // namespace gpubench
