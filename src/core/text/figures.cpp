#include "gpubench/core/text/figures.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace gpubench {

std::string with_separators(long long number) {
  std::string text = std::to_string(number);
  const std::size_t digits_start = number < 0 ? 1 : 0;
  for (std::size_t end = text.size(); end > digits_start + 3; end -= 3) text.insert(end - 3, ",");
  return text;
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
  struct Prefix {
    const char* name;
    double factor;
  };
  static constexpr std::array<Prefix, 9> kPrefixes{{{"P", 1e15},
                                                    {"T", 1e12},
                                                    {"G", 1e9},
                                                    {"M", 1e6},
                                                    {"k", 1e3},
                                                    {"", 1},
                                                    {"m", 1e-3},
                                                    {"µ", 1e-6},
                                                    {"n", 1e-9}}};
  const double largest = unit == "s" ? 1 : 1e15;
  Prefix chosen{"", 1};
  for (const Prefix& prefix : kPrefixes) {
    if (prefix.factor > largest) continue;
    chosen = prefix;
    // What would round to a thousand has the next prefix.
    if (std::abs(number) >= 0.9995 * prefix.factor) break;
  }
  if (number == 0 || !std::isfinite(number)) chosen = {"", 1};
  const double scaled = number / chosen.factor;
  const int decimals = std::abs(scaled) < 9.995 ? 2 : std::abs(scaled) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, chosen.name, unit);
}

}  // namespace gpubench
