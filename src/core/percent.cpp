#include "gpubench/core/percent.h"

#include <cstdlib>
#include <string_view>

#include "gpubench/core/error.h"

namespace gpubench {

double parse_percent(const std::string& text, const std::string& option) {
  constexpr std::string_view kDigits = "0123456789.";
  constexpr double kMost = 1000;
  const std::string digits = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  char* end = nullptr;
  const double percent = std::strtod(digits.c_str(), &end);
  const bool is_number =
      !digits.empty() && *end == '\0' && digits.find_first_not_of(kDigits) == std::string::npos;
  if (is_number && percent <= kMost) return percent / 100;
  throw Error(ErrorKind::kUsage, option + " '" + text + "': is no percentage; write 5%");
}

}  // namespace gpubench
