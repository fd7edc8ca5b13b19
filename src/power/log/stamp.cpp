#include "power/log/stamp.h"
#include "gpubench/core/text/fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iterator>
#include <sstream>

#include <fmt/chrono.h>

#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/text_lines.h"

namespace gpubench {
namespace {

constexpr int kFirstYear = 2000;  // No GPU had a power sensor before.
constexpr int kLastYear = 2100;
constexpr double kDay = 86400;

/// Since 1970-01-01; absent where no calendar has the date.
Measured<Seconds> midnight(int year, int month, int day) {
  if (year < kFirstYear || year > kLastYear) {
    return missing("the year {} is not between {} and {}", year, kFirstYear, kLastYear);
  }
  const auto date = std::chrono::year(year) / month / day;
  if (!date.ok()) return missing("no month {} has a day {}", month, day);
  return Seconds{static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) * kDay};
}

/// Takes a short text apart from the left. Once something that was asked for is not there, `is_good` stays
/// false.
struct Cursor {
  std::string_view rest;
  bool is_good = true;

  /// A whole number of so many digits; 0 where there is none.
  int digits(std::size_t least, std::size_t most) {
    const std::string_view taken = rest.substr(0, std::min(rest.find_first_not_of("0123456789"), most));
    is_good = is_good && taken.size() >= least;
    int number = 0;
    std::from_chars(taken.data(), taken.data() + taken.size(), number);
    rest.remove_prefix(taken.size());
    return number;
  }

  bool is_at(std::string_view characters) const {
    return !rest.empty() && characters.find(rest.front()) != std::string_view::npos;
  }

  /// Skips one of these and says which.
  char skip(std::string_view characters) {
    is_good = is_good && is_at(characters);
    if (!is_good) return characters.front();
    const char found = rest.front();
    rest.remove_prefix(1);
    return found;
  }
};

/// "18:49:17.547" as seconds of the day.
Measured<Seconds> time_of_day(Cursor& cursor) {
  const int hour = cursor.digits(2, 2);
  cursor.skip(":");
  const int minute = cursor.digits(2, 2);
  cursor.skip(":");
  const int second = cursor.digits(2, 2);
  double part = 0;
  if (cursor.is_at(".,")) {
    cursor.skip(".,");
    const std::size_t before = cursor.rest.size();
    const int digits = cursor.digits(1, 9);
    part = digits / std::pow(10.0, static_cast<double>(before - cursor.rest.size()));
  }
  if (hour > 23 || minute > 59 || second > 59) return missing("is not a time of day");
  return Seconds{hour * 3600.0 + minute * 60 + second + part};
}

/// Of "+01:00" or "Z"; none for other texts.
std::optional<Seconds> zone(std::string_view text) {
  if (text == "Z" || text == "UTC" || text == "GMT") return Seconds{0};
  Cursor cursor{text};
  const char sign = cursor.skip("+-");
  const int hours = cursor.digits(1, 2);
  if (cursor.is_at(":")) cursor.skip(":");
  const int minutes = cursor.rest.empty() ? 0 : cursor.digits(2, 2);
  if (!cursor.is_good || !cursor.rest.empty() || hours > 14 || minutes > 59) return std::nullopt;
  return Seconds{(sign == '-' ? -1 : 1) * (hours * 3600.0 + minutes * 60)};
}

struct Date {
  int year = 0;
  int month = 0;
  int day = 0;
};

/// "2023/12/17", "2023-12-17", "20231217" or "17.12.2023". Other orders cannot be told apart.
Date date(Cursor& cursor) {
  const std::size_t digits = std::min(cursor.rest.find_first_not_of("0123456789"), cursor.rest.size());
  Date found;
  if (digits <= 2) {
    found.day = cursor.digits(1, 2);
    cursor.skip(".");
    found.month = cursor.digits(1, 2);
    cursor.skip(".");
    found.year = cursor.digits(4, 4);
    return found;
  }
  found.year = cursor.digits(4, 4);
  const std::string_view separator = digits == 8 ? "" : cursor.rest.substr(0, 1);
  if (separator.empty()) {
    found.month = cursor.digits(2, 2);
    found.day = cursor.digits(2, 2);
    return found;
  }
  cursor.skip("/-");
  found.month = cursor.digits(1, 2);
  cursor.skip(separator);
  found.day = cursor.digits(1, 2);
  return found;
}

/// A text that is no stamp is said to be none such as `example`.
Measured<Stamp> stamp_in(std::string_view text, const char* example) {
  Cursor cursor{text};
  const auto [year, month, day] = date(cursor);
  cursor.skip(" T");
  cursor.rest = trimmed(cursor.rest);
  const bool has_fraction = cursor.rest.find_first_of(".,") != std::string_view::npos;
  const Measured<Seconds> time = time_of_day(cursor);
  const std::string_view zone_text = trimmed(cursor.rest);
  const std::optional<Seconds> offset = zone(zone_text);
  if (!cursor.is_good || (!zone_text.empty() && !offset)) return missing("is not a time such as {}", example);
  return midnight(year, month, day).then([&](Seconds date) {
    return time.then([&](Seconds since) { return Stamp{date + since, offset, has_fraction}; });
  });
}

/// Seconds, milliseconds, microseconds or nanoseconds since 1970-01-01 UTC, told apart by their size.
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

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

constexpr double kResolution = 1;

/// Between which two moments a stamp was made.
struct Bounds {
  double low;
  double high;
};

Bounds make_bounds(const CoarseStamp& stamp) { return {stamp.time.value, stamp.time.value + kResolution}; }

/// What is known of `stamp` from itself and from what is known of the one above.
Bounds narrowed(const Bounds& above, const CoarseStamp& stamp) {
  const Bounds own = make_bounds(stamp);
  const Bounds chained{above.low + stamp.elapsed.value, above.high + stamp.elapsed.value};
  const bool is_gap = chained.low > own.high + kResolution || chained.high < own.low - kResolution;
  if (is_gap) return own;
  return {std::clamp(chained.low, own.low, own.high), std::clamp(chained.high, own.low, own.high)};
}

}  // namespace

Measured<Stamp> parse_stamp(std::string_view text) {
  if (const std::optional<Stamp> stamp = unix_stamp(text)) return *stamp;
  return stamp_in(text, "2023/12/17 18:49:17.547");
}

Measured<Stamp> parse_worded_stamp(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string weekday, name, day, time, year, zone;
  words >> weekday >> name >> day >> time >> year;
  // `date` writes the zone before the year.
  if (!year.empty() && year.find_first_not_of("0123456789") != std::string::npos) {
    zone = year;
    words >> year;
  } else {
    std::getline(words, zone);
  }
  const auto month = std::ranges::find(kMonths, name) - kMonths.begin() + 1;
  const std::string number = month > std::ssize(kMonths) ? "" : std::to_string(month);
  return stamp_in(fmt::format("{}-{}-{} {} {}", year, number, day, time, zone),
                  "Sun Dec 17 12:56:33 2023 +0100");
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
  std::vector<Bounds> bounds;
  for (const CoarseStamp& stamp : stamps) {
    bounds.push_back(bounds.empty() ? make_bounds(stamp) : narrowed(bounds.back(), stamp));
  }
  ChainedTimes chained;
  if (stamps.empty()) return chained;
  // Back from the last one, of which all those above tell most.
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
