#include "gpubench/core/text/decimal.h"

#include <cmath>

#include <fast_float/fast_float.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

/// Of digits and a point alone.
std::optional<double> parse_unsigned(std::string_view text) {
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  return parse_decimal(text);
}

}  // namespace

// Not std::from_chars, which some standard libraries have for whole numbers alone.
std::optional<double> parse_decimal(std::string_view text, char point) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const fast_float::parse_options options{fast_float::chars_format::general, point};
  const auto [stop, error] = fast_float::from_chars_advanced(text.data(), end, value, options);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

double parse_percent(const std::string& text, const std::string& option) {
  constexpr double kMost = 1000;
  const std::string_view whole = text;
  const auto percent = parse_unsigned(whole.substr(0, whole.size() - (whole.ends_with('%') ? 1 : 0)));
  if (percent && *percent <= kMost) return *percent / 100;
  throw Error(ErrorKind::kUsage, option + " '" + text + "': is no percentage; write 5%");
}

double parse_price(const std::string& text, const std::string& option) {
  const std::optional<double> price = parse_unsigned(text);
  if (price && *price > 0) return *price;
  throw Error(ErrorKind::kUsage, option + " '" + text + "': a number above 0 is expected; write 0.30");
}

}  // namespace gpubench
