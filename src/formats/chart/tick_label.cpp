// Numbers of an axis, as people write them.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "formats/chart/chart_scale.h"

namespace gpubench {
namespace {

constexpr std::array kPrefixes = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P"};
// Beyond these the prefixes are used up, and powers of ten are clearer.
constexpr double kSmallestPrefixed = 1e-13;
constexpr double kLargestPrefixed = 1e18;
constexpr int kNoPrefix = 4;
constexpr int kLastPrefix = static_cast<int>(kPrefixes.size()) - 1;

bool takes_prefix(const std::string& unit) {
  constexpr std::array kUnits = {"s", "J", "W", "B", "B/s", "Hz", "FLOP", "FLOP/s"};
  return std::find(kUnits.begin(), kUnits.end(), unit) != kUnits.end();
}

struct Prefixed {
  double number;
  const char* prefix;
};

Prefixed prefixed(double value, int lowest, int highest) {
  const double size = std::abs(value);
  if (size < kSmallestPrefixed || size > kLargestPrefixed) return {value, ""};
  // A tick of 1000 may be a bit less by rounding.
  const auto thousands = static_cast<int>(std::floor(std::log10(size) / 3 + 1e-9));
  const int place = std::clamp(thousands + kNoPrefix, lowest, highest);
  return {value / std::pow(1000.0, place - kNoPrefix), kPrefixes.at(static_cast<std::size_t>(place))};
}

// Digits enough to tell neighbours apart, few enough to hide rounding.
std::string digits(double value) { return fmt::format("{:.10g}", value); }

}  // namespace

std::string tick_label(double value, const std::string& unit) {
  if (takes_prefix(unit)) {
    const auto [number, prefix] = prefixed(value, 0, unit == "s" ? kNoPrefix : kLastPrefix);
    return fmt::format("{} {}{}", digits(number), prefix, unit);
  }
  if (unit == "x") return digits(value) + "×";
  if (unit == "%") return digits(value) + " %";
  // Thousands are shown in full, since sizes are powers of two.
  if (std::abs(value) < 1e5) return digits(value);
  const auto [number, prefix] = prefixed(value, kNoPrefix, kLastPrefix);
  return digits(number) + prefix;
}

bool is_unit_on_ticks(const std::string& unit) { return takes_prefix(unit) || unit == "x" || unit == "%"; }

}  // namespace gpubench
