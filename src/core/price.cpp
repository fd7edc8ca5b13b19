#include "gpubench/core/price.h"

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "gpubench/core/error.h"

namespace gpubench {

double parse_price(const std::string& text, const std::string& option) {
  constexpr std::string_view kDigits = "0123456789.";
  char* end = nullptr;
  const double price = std::strtod(text.c_str(), &end);
  const bool is_number =
      !text.empty() && *end == '\0' && text.find_first_not_of(kDigits) == std::string::npos;
  if (is_number && price > 0 && std::isfinite(price)) return price;
  throw Error(ErrorKind::kUsage, option + " '" + text + "': a number above 0 is expected; write 0.30");
}

}  // namespace gpubench
