#pragma once
// Numbers in the texts of options, logs and messages.

#include <optional>
#include <string_view>

namespace gpubench {

/// The number that the whole of `text` is: digits, at most one `point`, a sign and an exponent where it has
/// these. Rounded correctly and the same in every locale. Neither "inf" nor "nan", nor a number that is too
/// large for a double; no space before or after.
std::optional<double> parse_decimal(std::string_view text, char point = '.');

}  // namespace gpubench
