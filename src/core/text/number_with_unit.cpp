#include "core/text/number_with_unit.h"

#include "gpubench/core/text/decimal.h"

namespace gpubench {
namespace {

// Not those of <cctype>: what a number is does not depend on the locale.
constexpr std::string_view kNumerals = "0123456789.";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// More digits than these are a slip.
constexpr std::size_t kLongestNumber = 40;

/// Takes the characters that are all in `allowed` from the front of `text`.
std::string take(std::string_view& text, std::string_view allowed) {
  const std::string taken(text.substr(0, text.find_first_not_of(allowed)));
  text.remove_prefix(taken.size());
  return taken;
}

}  // namespace

std::vector<NumberWithUnit> numbers_with_units(std::string_view text) {
  std::vector<NumberWithUnit> parts;
  while (!text.empty()) {
    const std::string digits = take(text, kNumerals);
    const auto number = parse_decimal(digits);
    if (!number || digits.size() > kLongestNumber) return {};
    parts.push_back({*number, take(text, kLetters)});
  }
  return parts;
}

}  // namespace gpubench
