#include "gpubench/core/text/byte_size.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "core/text/number_with_unit.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

struct Unit {
  std::string_view letter;  // As in "8g"; the name is "GiB".
  double bytes;
};

constexpr double kKibi = 1024;
constexpr std::array<Unit, 4> kUnits{
    {{"t", kKibi* kKibi* kKibi* kKibi}, {"g", kKibi* kKibi* kKibi}, {"m", kKibi* kKibi}, {"k", kKibi}}};

// 2^53: up to here a double holds every whole number.
constexpr double kMostBytes = 9007199254740992.0;

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

/// Bytes in one `unit`, or 0 for an unknown one. "GB" is taken for a power of 1024 too: memory comes in
/// those.
double bytes_in(const std::string& unit) {
  const std::string name = lower_case(unit);
  if (name.empty() || name == "b") return 1;
  for (const Unit& known : kUnits) {
    const std::string letter(known.letter);
    if (name == letter || name == letter + "b" || name == letter + "ib") return known.bytes;
  }
  return 0;
}

/// "1.5", "2".
std::string short_number(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", number);
  const std::string_view digits = text.data();
  return std::string(digits.ends_with(".0") ? digits.substr(0, digits.size() - 2) : digits);
}

}  // namespace

Bytes parse_byte_size(const std::string& text, const std::string& option) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::kUsage, option + " '" + text + "': " + what);
  };
  const auto parts = numbers_with_units(text);
  if (parts.size() != 1) refuse("is no size; write 512M, 8G or a number of bytes");
  const double unit = bytes_in(parts[0].unit);
  if (unit == 0) refuse("unknown unit '" + parts[0].unit + "'; known: K, M, G, T");
  const double bytes = parts[0].number * unit;
  if (bytes > kMostBytes) refuse("is more than 8192 T; give less");
  return {static_cast<std::int64_t>(bytes)};
}

std::string byte_text(Bytes size) {
  const auto bytes = static_cast<double>(size.value);
  for (const Unit& unit : kUnits) {
    if (bytes < unit.bytes) continue;
    const auto letter = static_cast<char>(unit.letter[0] - 'a' + 'A');
    return short_number(bytes / unit.bytes) + " " + letter + "iB";
  }
  return std::to_string(size.value) + " B";
}

}  // namespace gpubench
