#pragma once
// The schemas of results/schema that do not follow from the field tables, as the build put them into the
// program.

#include <span>

#include "gpubench/core/embedded_text.h"

namespace gpubench {

/// Each is called as its file: "run-v2.schema".
std::span<const EmbeddedText> schema_texts();

}  // namespace gpubench
