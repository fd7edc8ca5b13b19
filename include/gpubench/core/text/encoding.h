#pragma once
// Text files of other programs and systems.

#include <string>
#include <string_view>

namespace gpubench {

/// Returns a text as UTF-8 without a byte-order mark. UTF-16 (which PowerShell writes) needs its mark; other
/// text that is not UTF-8 is read as Latin-1. Sets `encoding` to the name of a conversion, "UTF-16" or
/// "Latin-1".
std::string decode_text(std::string bytes, std::string& encoding);

}  // namespace gpubench
