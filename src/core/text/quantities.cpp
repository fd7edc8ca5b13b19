#include "gpubench/core/text/quantities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

struct NumberWithUnit {
  double number = 0;
  std::string unit;  ///< As written; empty if missing.
};

// Not <cctype>, which depends on the locale.
constexpr std::string_view kNumerals = "0123456789.";
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Removes the characters in `allowed` from the front of `text` and returns them.
std::string take(std::string_view& text, std::string_view allowed) {
  const std::string taken(text.substr(0, text.find_first_not_of(allowed)));
  text.remove_prefix(taken.size());
  return taken;
}

/// Splits "1h30m" into {1, "h"} and {30, "m"}. Returns an empty list for other texts, including signs.
std::vector<NumberWithUnit> numbers_with_units(std::string_view text) {
  std::vector<NumberWithUnit> parts;
  while (!text.empty()) {
    const auto number = parse_decimal(take(text, kNumerals));
    if (!number) return {};
    parts.push_back({*number, take(text, kLetters)});
  }
  return parts;
}

struct Unit {
  std::string_view name;
  double amount;  // Seconds, or bytes.
};

constexpr std::array<Unit, 5> kTimes{{{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 1e-3}}};

// Longer durations are typing errors and overflow some clocks.
constexpr double kLongestSeconds = 365 * 86400.0;

// Prefixes of "8G" and "8 GiB".
constexpr std::array<Unit, 4> kSizes{{{"T", 0x1p40}, {"G", 0x1p30}, {"M", 0x1p20}, {"K", 0x1p10}}};

// A double represents all whole numbers up to here.
constexpr double kMostBytes = 0x1p53;

/// Returns the bytes in a unit, or 0 if unknown. "GB" is a power of 1024 too, as is usual for memory.
double bytes_in(const std::string& unit) {
  const std::string name = lower(unit);
  if (name.empty() || name == "b") return 1;
  for (const Unit& known : kSizes) {
    const std::string letter = lower(known.name);
    if (name == letter || name == letter + "b" || name == letter + "ib") return known.amount;
  }
  return 0;
}

[[noreturn]] void refuse(const std::string& option, const std::string& text, const std::string& what) {
  throw Error(ErrorKind::kUsage, "{} '{}': {}", option, text, what);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return text.substr(0, 0);
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

std::vector<std::string_view> split_fields(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  std::size_t begin = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const bool is_end = i == line.size();
    if (!is_end && line[i] == '"') is_quoted = !is_quoted;
    if (!is_end && (is_quoted || line[i] != separator)) continue;
    std::string_view field = trimmed(line.substr(begin, i - begin));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
      field = field.substr(1, field.size() - 2);
    }
    fields.push_back(field);
    begin = i + 1;
  }
  return fields;
}

// Not std::from_chars, which some standard libraries implement for whole numbers only.
std::optional<double> parse_decimal(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = fast_float::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::size_t first_digit = text.starts_with('-') ? 1 : 0;
  const bool has_leading_zero = text.size() > first_digit + 1 && text[first_digit] == '0';
  if (error != std::errc() || end != text.data() + text.size() || has_leading_zero) return std::nullopt;
  return value;
}

double parse_percent(const std::string& text, const std::string& option) {
  constexpr double kMost = 1000;
  const std::string_view whole = text;
  const auto parts = numbers_with_units(whole.substr(0, whole.size() - (whole.ends_with('%') ? 1 : 0)));
  if (parts.size() == 1 && parts[0].unit.empty() && parts[0].number <= kMost) return parts[0].number / 100;
  refuse(option, text, "not a percentage from 0% to 1000%; write 5%");
}

double parse_price(const std::string& text, const std::string& option) {
  const auto parts = numbers_with_units(text);
  if (parts.size() == 1 && parts[0].unit.empty() && parts[0].number > 0) return parts[0].number;
  refuse(option, text, "not a number above 0; write 0.30");
}

Seconds parse_duration(const std::string& text, const std::string& option) {
  auto parts = numbers_with_units(text);
  if (parts.empty()) refuse(option, text, "not a duration; write 90s, 20m or 1h30m");
  if (parts.size() == 1 && parts[0].unit.empty()) parts[0].unit = "s";
  double seconds = 0;
  auto next = kTimes.begin();  // Units have to be in descending order.
  for (const NumberWithUnit& part : parts) {
    const auto unit = std::ranges::find(next, kTimes.end(), part.unit, &Unit::name);
    if (unit == kTimes.end())
      refuse(option, text, "unknown unit or wrong order; use d, h, m, s and ms, largest first: 1h30m");
    seconds += part.number * unit->amount;
    next = unit + 1;
  }
  if (seconds > kLongestSeconds) refuse(option, text, "longer than a year; choose a shorter time");
  return {seconds};
}

std::string duration_text(Seconds duration) {
  const auto whole = static_cast<std::int64_t>(std::max(0.0, duration.value) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

Bytes parse_byte_size(const std::string& text, const std::string& option) {
  const auto parts = numbers_with_units(text);
  if (parts.size() != 1) refuse(option, text, "not a size; write 512M, 8G or a number of bytes");
  const double unit = bytes_in(parts[0].unit);
  if (unit == 0) refuse(option, text, "unknown unit '" + parts[0].unit + "'; use K, M, G or T");
  const double bytes = parts[0].number * unit;
  if (bytes > kMostBytes) refuse(option, text, "more than 8192 TiB; choose a smaller size");
  return {static_cast<std::int64_t>(bytes)};
}

std::string byte_text(Bytes size) {
  const auto bytes = static_cast<double>(size.value);
  for (const Unit& unit : kSizes) {
    if (bytes < unit.amount) continue;
    std::string digits = fmt::format("{:.1f}", bytes / unit.amount);
    if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
    return fmt::format("{} {}iB", digits, unit.name);
  }
  return fmt::format("{} B", size.value);
}

// Formatting.

std::string with_separators(long long number) {
  return fmt::format("{}{}", number < 0 ? "-" : "", fmt::group_digits(std::abs(number)));
}

std::string figure_text(double figure) {
  if (!std::isfinite(figure)) return "-";
  if (figure == 0) return "0";
  if (std::abs(figure) >= 1e15) return fmt::format("{:.3g}", figure);
  // Values that round to 100 have no decimals either.
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
  // Values that round to a thousand have the next prefix.
  while (i + 1 < kFactors.size() && std::abs(number) < 0.9995 * kFactors[i]) ++i;
  if (number == 0 || !std::isfinite(number)) i = kNone;
  const double scaled = number / kFactors[i];
  const int decimals = std::abs(scaled) < 9.995 ? 2 : std::abs(scaled) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, kPrefixes[i], unit);
}

}  // namespace gpubench
