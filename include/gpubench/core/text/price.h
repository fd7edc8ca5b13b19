#pragma once
// What a kilowatt hour costs, as people write it.

#include <string>

namespace gpubench {

/// "0.30" as 0.3, in whatever currency. Throws a usage Error that starts with `option` for what is no number
/// above 0.
double parse_price(const std::string& text, const std::string& option);

}  // namespace gpubench
