#pragma once
// Numbers in the texts of options, logs and messages.

#include <optional>
#include <string>
#include <string_view>

namespace gpubench {

/// The number that the whole of `text` is: digits, at most one `point`, a sign and an exponent where it has
/// these. Rounded correctly and the same in every locale. Neither "inf" nor "nan", nor a number that is too
/// large for a double; no space before or after.
std::optional<double> parse_decimal(std::string_view text, char point = '.');

/// "5%" as 0.05; the sign may be missing. Throws a usage Error that starts with `option` for anything else,
/// and for what is below 0 or above 1000.
double parse_percent(const std::string& text, const std::string& option);

/// What a kilowatt hour costs: "0.30" as 0.3, in whatever currency. Throws a usage Error that starts with
/// `option` for what is no number above 0.
double parse_price(const std::string& text, const std::string& option);

}  // namespace gpubench
