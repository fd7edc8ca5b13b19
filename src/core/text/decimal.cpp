#include "gpubench/core/text/decimal.h"

#include <cmath>

#include <fast_float/fast_float.h>

namespace gpubench {

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

}  // namespace gpubench
