#include "core/number_with_unit.h"

#include <algorithm>

namespace gpubench {
namespace {

// Not those of <cctype>: what a number is does not depend on the locale.
constexpr std::string_view kNumerals = "0123456789.";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// More digits than these are a slip, and would be infinity.
constexpr std::size_t kLongestNumber = 40;

/// Takes the characters that are all in `allowed` from the front of `text`.
std::string take(std::string_view& text, std::string_view allowed) {
  const std::string taken(text.substr(0, text.find_first_not_of(allowed)));
  text.remove_prefix(taken.size());
  return taken;
}

bool is_number(std::string_view text) {
  const auto points = std::count(text.begin(), text.end(), '.');
  return points <= 1 && text.size() > static_cast<std::size_t>(points) && text.size() <= kLongestNumber;
}

}  // namespace

std::vector<NumberWithUnit> numbers_with_units(std::string_view text) {
  std::vector<NumberWithUnit> parts;
  while (!text.empty()) {
    const std::string number = take(text, kNumerals);
    if (!is_number(number)) return {};
    parts.push_back({std::stod(number), take(text, kLetters)});
  }
  return parts;
}

}  // namespace gpubench
