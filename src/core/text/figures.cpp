#include "gpubench/core/text/figures.h"

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

}  // namespace gpubench
