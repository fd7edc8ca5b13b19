#pragma once
// Parts of a whole, as people write them.

#include <string>

namespace gpubench {

/// "5%" as 0.05; the sign may be missing. Throws a usage Error that starts with `option` for anything else,
/// and for what is below 0 or above 1000.
double parse_percent(const std::string& text, const std::string& option);

}  // namespace gpubench
