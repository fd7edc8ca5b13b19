#pragma once
// Text from anywhere, made fit for HTML and SVG.

#include <string>
#include <string_view>

namespace gpubench {

/// `text` as it may stand between tags and inside a quoted attribute: markup is escaped; control characters
/// other than tab and newline, what XML forbids, and bytes that are not UTF-8 become U+FFFD.
std::string escaped(std::string_view text);

}  // namespace gpubench
