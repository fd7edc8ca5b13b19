#include "power/log/stamp.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <sstream>

#include <fmt/chrono.h>

#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

constexpr std::string_view kDigits = "0123456789";

struct Parts {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
};

/// A letter of a pattern, the number of digits that it stands for, and their place.
struct Letter {
  char letter;
  std::size_t least;
  std::size_t most;
  int Parts::*part;
};

constexpr std::array kLetters{Letter{'Y', 4, 4, &Parts::year},  Letter{'M', 1, 2, &Parts::month},
                              Letter{'D', 1, 2, &Parts::day},   Letter{'H', 1, 2, &Parts::hour},
                              Letter{'h', 2, 2, &Parts::hour},  Letter{'m', 2, 2, &Parts::minute},
                              Letter{'s', 2, 2, &Parts::second}};

/// Removes a prefix such as "h:m:s". Returns false, and changes nothing, for other texts.
bool match(std::string_view& text, std::string_view pattern, Parts& parts) {
  std::string_view rest = text;
  Parts found = parts;
  for (const char character : pattern) {
    const auto* const letter = std::ranges::find(kLetters, character, &Letter::letter);
    if (letter == kLetters.end()) {
      if (!rest.starts_with(character)) return false;
      rest.remove_prefix(1);
      continue;
    }
    const std::string_view digits = rest.substr(0, std::min(rest.find_first_not_of(kDigits), letter->most));
    if (digits.size() < letter->least) return false;
    std::from_chars(digits.data(), digits.data() + digits.size(), found.*(letter->part));
    rest.remove_prefix(digits.size());
  }
  text = rest;
  parts = found;
  return true;
}

/// Removes ".547" or ",547" from the begin of a text; 0 for other texts.
double take_fraction(std::string_view& text) {
  if (!text.starts_with('.') && !text.starts_with(',')) return 0;
  const std::string digits(text.substr(1, std::min(text.find_first_not_of(kDigits, 1), text.size()) - 1));
  if (digits.empty() || digits.size() > 9) return 0;
  text.remove_prefix(digits.size() + 1);
  return parse_decimal("0." + digits).value_or(0);
}

/// Reads "+01:00" or "Z"; nothing for other texts.
std::optional<Seconds> zone(std::string_view text) {
  if (text == "Z" || text == "UTC" || text == "GMT") return Seconds{0};
  if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  const double sign = text.front() == '-' ? -1 : 1;
  for (const std::string_view pattern : {"H:m", "Hm", "H"}) {
    std::string_view rest = text.substr(1);
    Parts parts;
    if (!match(rest, pattern, parts) || !rest.empty() || parts.hour > 14 || parts.minute > 59) continue;
    return Seconds{sign * (parts.hour * 3600.0 + parts.minute * 60)};
  }
  return std::nullopt;
}

/// Returns seconds since 1970-01-01; missing where no calendar has the date.
Measured<Seconds> midnight(const Parts& date) {
  constexpr int kFirstYear = 2000;  // No GPU had a power sensor before.
  constexpr int kLastYear = 2100;
  if (date.year < kFirstYear || date.year > kLastYear) {
    return missing("the year {} is not between {} and {}", date.year, kFirstYear, kLastYear);
  }
  const std::chrono::year_month_day day = std::chrono::year(date.year) / date.month / date.day;
  if (!day.ok()) return missing("no month {} has a day {}", date.month, date.day);
  return Seconds{86400.0 * static_cast<double>(std::chrono::sys_days(day).time_since_epoch().count())};
}

/// Reads a date and a time. The reason for other texts names an `example`.
Measured<Stamp> stamp_in(std::string_view text, const char* example) {
  const auto other = [&] { return missing("is not a time such as {}", example); };
  Parts parts;
  // Other orders cannot be told apart.
  constexpr std::array<std::string_view, 4> kDates{"Y/M/D", "Y-M-D", "YMD", "D.M.Y"};
  const auto is_date = [&](std::string_view pattern) { return match(text, pattern, parts); };
  if (std::ranges::none_of(kDates, is_date) || text.find_first_of(" T") != 0) return other();
  text = trimmed(text.substr(1));
  if (!match(text, "h:m:s", parts)) return other();
  const std::size_t size = text.size();
  const double fraction = take_fraction(text);
  const bool has_fraction = text.size() < size;
  text = trimmed(text);
  const std::optional<Seconds> offset = zone(text);
  if (!text.empty() && !offset) return other();
  return midnight(parts).then([&](Seconds date) -> Measured<Stamp> {
    if (parts.hour > 23 || parts.minute > 59 || parts.second > 59) return missing("is not a time of day");
    const Seconds time{parts.hour * 3600.0 + parts.minute * 60 + parts.second + fraction};
    return Stamp{date + time, offset, has_fraction};
  });
}

/// Reads seconds, milliseconds, microseconds or nanoseconds since 1970-01-01 UTC, told apart by their size.
std::optional<Stamp> unix_stamp(std::string_view text) {
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  std::optional<double> time = parse_decimal(text);
  if (!time) return std::nullopt;
  constexpr double kFirst = 946684800;  // 2000-01-01
  constexpr double kLast = 4133980800;  // 2101-01-01
  const bool has_point = text.find('.') != std::string_view::npos;
  for (int thousands = 0; thousands <= 3; ++thousands, *time /= 1000) {
    if (*time >= kFirst && *time < kLast)
      return Stamp{Seconds{*time}, Seconds{0}, has_point || thousands > 0};
  }
  return std::nullopt;
}

/// Reads "Sun Dec 17 12:56:33 2023 +0100", in English.
Measured<Stamp> worded_stamp(std::string_view text) {
  constexpr std::string_view kMonths = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
  std::istringstream words{std::string(text)};
  std::string weekday, name, day, time, year, zone;
  words >> weekday >> name >> day >> time >> year;
  std::getline(words, zone);
  const std::size_t at = name.size() == 3 ? kMonths.find(name) : std::string_view::npos;
  const std::string month = at == std::string_view::npos ? "?" : std::to_string(at / 4 + 1);
  return stamp_in(fmt::format("{}-{}-{} {} {}", year, month, day, time, zone),
                  "Sun Dec 17 12:56:33 2023 +0100");
}

}  // namespace

Measured<Stamp> parse_stamp(std::string_view text) {
  if (const std::optional<Stamp> stamp = unix_stamp(text)) return *stamp;
  const bool has_name = text.size() > 3 && text.find_first_of(kDigits) != 0 && text[3] == ' ';
  return has_name ? worded_stamp(text) : stamp_in(text, "2023/12/17 18:49:17.547");
}

Seconds parse_utc_offset(const std::string& text, const std::string& option) {
  if (const std::optional<Seconds> offset = zone(text)) return *offset;
  throw Error(ErrorKind::kUsage, "{} '{}': is no difference to UTC; write +01:00, -0530 or Z", option, text);
}

Seconds own_utc_offset(Seconds local) {
  const auto seconds = static_cast<std::time_t>(std::floor(local.value));
  std::tm parts = fmt::gmtime(seconds);
  parts.tm_isdst = -1;
  return Seconds{static_cast<double>(seconds - std::mktime(&parts))};
}

std::string utc_offset_text(Seconds offset) {
  const auto minutes = static_cast<int>(std::abs(offset.value) / 60);
  return fmt::format("{}{:02}:{:02}", offset.value < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string utc_text(Seconds time) {
  const auto seconds = static_cast<std::time_t>(std::floor(time.value));
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds));
}

ChainedTimes chained_times(const std::vector<CoarseStamp>& stamps) {
  constexpr double kResolution = 1;
  ChainedTimes chained;
  if (stamps.empty()) return chained;
  struct Bounds {
    double low;
    double high;
  };
  std::vector<Bounds> bounds;  // Of the moment at which each stamp was made.
  for (const auto& [time, elapsed] : stamps) {
    const Bounds own{time.value, time.value + kResolution};
    const Bounds above = bounds.empty() ? own : bounds.back();
    const Bounds next{above.low + elapsed.value, above.high + elapsed.value};
    const bool is_gap = next.low > own.high + kResolution || next.high < own.low - kResolution;
    const bool is_chained = !bounds.empty() && !is_gap;
    bounds.push_back(
        is_chained ? Bounds{std::clamp(next.low, own.low, own.high), std::clamp(next.high, own.low, own.high)}
                   : own);
  }
  // Back from the last one, whose bounds contain what all those above add.
  double wanted = (bounds.back().low + bounds.back().high) / 2;
  chained.uncertainty = Seconds{(bounds.back().high - bounds.back().low) / 2};
  chained.times.resize(stamps.size());
  for (std::size_t i = stamps.size(); i-- > 0;) {
    chained.times[i] = Seconds{std::clamp(wanted, bounds[i].low, bounds[i].high)};
    wanted = chained.times[i].value - stamps[i].elapsed.value;
  }
  return chained;
}

}  // namespace gpubench
