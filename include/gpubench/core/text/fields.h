#pragma once
// Takes a line apart.

#include <string_view>
#include <vector>

namespace gpubench {

/// Without the spaces and tabulators at both ends.
std::string_view trimmed(std::string_view text);

/// The fields between separators, without the spaces and double quotes around them.
std::vector<std::string_view> split_fields(std::string_view line, char separator);

}  // namespace gpubench
