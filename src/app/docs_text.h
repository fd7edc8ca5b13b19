#pragma once
// The pages of docs/, made when gpubench is built.

#include <span>

#include "gpubench/core/embedded_text.h"

namespace gpubench {

/// In Markdown, each under the name of its file without the extension, sorted by that. The first line is "#
/// Title".
std::span<const EmbeddedText> docs_texts();

}  // namespace gpubench
