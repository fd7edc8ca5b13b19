#pragma once
// The quick way to read JSON that is as it should be.

#include <optional>
#include <string_view>

#include "record/document/json.h"

namespace gpubench {

/// The value in `text`; nothing where anything about it is unusual, be it wrong or rare: parse_document()
/// then looks closer.
std::optional<Json> quick_parse(std::string_view text);

}  // namespace gpubench
