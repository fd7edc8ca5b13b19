#pragma once
// The table of published times, as the build put it into the program.

#include <span>

#include "gpubench/core/embedded_text.h"

namespace gpubench {

/// results/reference/ops-published.tsv alone, which scripts/published-ops.sh makes.
std::span<const EmbeddedText> published_ops_texts();

}  // namespace gpubench
