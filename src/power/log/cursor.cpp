#include "power/log/cursor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace gpubench {
namespace {

constexpr std::size_t kLongestNumber = 64;
constexpr std::size_t kExactDigits = 18;  // A 64-bit integer holds any number of so many.

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(taken.size());
  return taken;
}

std::optional<int> take_exponent(std::string_view& text) {
  if (text.empty()) return 0;
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  if (text.size() > 1 && text.front() == '+' && is_digit(text[1])) text.remove_prefix(1);
  int exponent = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return exponent;
}

// Not std::from_chars for double, which some standard libraries lack; of up to 15 digits this is as exact.
double scaled(std::string digits, int exponent) {
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size());
  digits.erase(0, first);
  if (digits.size() > kExactDigits) {
    exponent += static_cast<int>(digits.size() - kExactDigits);
    digits.resize(kExactDigits);
  }
  std::int64_t whole = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  const double power = std::pow(10.0, std::abs(exponent));
  return exponent < 0 ? static_cast<double>(whole) / power : static_cast<double>(whole) * power;
}

}  // namespace

bool is_digit(char character) { return character >= '0' && character <= '9'; }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return text.substr(0, 0);
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> parse_decimal(std::string_view text, char point) {
  if (text.size() > kLongestNumber) return std::nullopt;
  const bool is_negative = text.starts_with("-");
  if (is_negative || text.starts_with("+")) text.remove_prefix(1);
  std::string digits(take_digits(text));
  std::string_view decimals;
  if (text.starts_with(point)) {
    text.remove_prefix(1);
    decimals = take_digits(text);
    digits += decimals;
  }
  const std::optional<int> exponent = take_exponent(text);
  if (digits.empty() || !exponent || std::abs(*exponent) > 300) return std::nullopt;
  const double value = scaled(digits, *exponent - static_cast<int>(decimals.size()));
  if (!std::isfinite(value)) return std::nullopt;
  return is_negative ? -value : value;
}

int Cursor::digits(std::size_t least, std::size_t most) {
  std::string_view after = rest_;
  const std::string_view taken = take_digits(after).substr(0, most);
  if (taken.size() < least) is_good_ = false;
  int number = 0;
  std::from_chars(taken.data(), taken.data() + taken.size(), number);
  rest_.remove_prefix(taken.size());
  return number;
}

void Cursor::skip(char character) { skip_one_of({&character, 1}); }

char Cursor::skip_one_of(std::string_view characters) {
  if (!starts_with(characters)) {
    is_good_ = false;
    return '\0';
  }
  const char found = rest_.front();
  rest_.remove_prefix(1);
  return found;
}

void Cursor::skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

std::string_view Cursor::word() {
  const std::string_view taken = rest_.substr(0, rest_.find(' '));
  rest_.remove_prefix(taken.size());
  return taken;
}

bool Cursor::starts_with(std::string_view characters) const {
  return !rest_.empty() && characters.find(rest_.front()) != std::string_view::npos;
}

}  // namespace gpubench
