#pragma once
// Made of scripts/lib/pins.txt when gpubench is built.

#include <span>

#include "gpubench/core/embedded_text.h"

namespace gpubench {

/// One text, called "pins".
std::span<const EmbeddedText> pins_texts();

}  // namespace gpubench
