#include "gpubench/core/text/figures.h"

#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace gpubench {

std::string with_separators(long long number) {
  const std::string sign = number < 0 ? "-" : "";
  return sign + fmt::format("{}", fmt::group_digits(std::abs(number)));
}

std::string figure_text(double figure) {
  if (!std::isfinite(figure)) return "-";
  if (figure == 0) return "0";
  if (std::abs(figure) >= 1e15) return fmt::format("{:.3g}", figure);
  // What would round to 100 has no decimals either.
  return std::abs(figure) < 99.95 ? fmt::format("{:#.3g}", figure) : with_separators(std::llround(figure));
}

std::string percent_text(double part) {
  const double percent = 100 * part;
  return std::abs(percent) < 99.5 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string prefixed_text(double number, const std::string& unit) {
  static constexpr std::array kPrefixes = {"P", "T", "G", "M", "k", "", "m", "µ", "n"};
  static constexpr std::array kFactors = {1e15, 1e12, 1e9, 1e6, 1e3, 1.0, 1e-3, 1e-6, 1e-9};
  constexpr std::size_t kNone = 5;
  std::size_t i = unit == "s" ? kNone : 0;
  // What would round to a thousand has the next prefix.
  while (i + 1 < kFactors.size() && std::abs(number) < 0.9995 * kFactors[i]) ++i;
  if (number == 0 || !std::isfinite(number)) i = kNone;
  const double scaled = number / kFactors[i];
  const int decimals = std::abs(scaled) < 9.995 ? 2 : std::abs(scaled) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, kPrefixes[i], unit);
}

}  // namespace gpubench
