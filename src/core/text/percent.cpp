#include "gpubench/core/text/percent.h"

#include <string_view>

#include "gpubench/core/error.h"
#include "gpubench/core/text/decimal.h"

namespace gpubench {

double parse_percent(const std::string& text, const std::string& option) {
  constexpr std::string_view kDigits = "0123456789.";
  constexpr double kMost = 1000;
  const std::string digits = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  const std::optional<double> percent = parse_decimal(digits);
  if (percent && *percent <= kMost && digits.find_first_not_of(kDigits) == std::string::npos) {
    return *percent / 100;
  }
  throw Error(ErrorKind::kUsage, option + " '" + text + "': is no percentage; write 5%");
}

}  // namespace gpubench
