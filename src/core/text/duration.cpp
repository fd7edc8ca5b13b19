#include "gpubench/core/text/duration.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "core/text/number_with_unit.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};

constexpr std::array<Unit, 5> kUnits{{{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 1e-3}}};

// A longer one is a slip, and would be too long for some clocks.
constexpr double kLongestSeconds = 365 * 86400.0;

std::string two_digits(std::int64_t number) { return (number < 10 ? "0" : "") + std::to_string(number); }

}  // namespace

Seconds parse_duration(const std::string& text, const std::string& option) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::kUsage, option + " '" + text + "': " + what);
  };
  auto parts = numbers_with_units(text);
  if (parts.empty()) refuse("is no duration; write 90s, 20m or 1h30m");
  if (parts.size() == 1 && parts[0].unit.empty()) parts[0].unit = "s";
  double seconds = 0;
  auto next = kUnits.begin();  // Units of one duration only get smaller.
  for (const NumberWithUnit& part : parts) {
    const auto unit = std::find_if(next, kUnits.end(), [&](const Unit& u) { return u.name == part.unit; });
    if (unit == kUnits.end())
      refuse("units are d, h, m, s and ms, the larger first; write 90s, 20m or 1h30m");
    seconds += part.number * unit->seconds;
    next = unit + 1;
  }
  if (seconds > kLongestSeconds) refuse("is longer than a year; give less");
  return {seconds};
}

std::string duration_text(Seconds duration) {
  const auto whole = static_cast<std::int64_t>(std::max(0.0, duration.value) + 0.5);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + two_digits(whole % 3600 / 60) + " min";
}

}  // namespace gpubench
