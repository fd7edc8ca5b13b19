#include "gpubench/core/text/price.h"

#include <string_view>

#include "gpubench/core/error.h"
#include "gpubench/core/text/decimal.h"

namespace gpubench {

double parse_price(const std::string& text, const std::string& option) {
  constexpr std::string_view kDigits = "0123456789.";
  const std::optional<double> price = parse_decimal(text);
  if (price && *price > 0 && text.find_first_not_of(kDigits) == std::string::npos) return *price;
  throw Error(ErrorKind::kUsage, option + " '" + text + "': a number above 0 is expected; write 0.30");
}

}  // namespace gpubench
