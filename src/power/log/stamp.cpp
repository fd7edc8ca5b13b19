#include "power/log/stamp.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "power/log/text_lines.h"

namespace gpubench {
namespace {

constexpr int kFirstYear = 2000;  // No GPU told its power before.
constexpr int kLastYear = 2100;
constexpr double kDay = 86400;

struct Date {
  int year = 0;
  int month = 0;
  int day = 0;
};

/// Since 1970-01-01; absent where no calendar has the date.
Reading<Seconds> midnight(const Date& date) {
  if (date.year < kFirstYear || date.year > kLastYear) {
    return absent("the year {} is not between {} and {}", date.year, kFirstYear, kLastYear);
  }
  const std::chrono::year_month_day day{std::chrono::year(date.year),
                                        std::chrono::month(static_cast<unsigned>(date.month)),
                                        std::chrono::day(static_cast<unsigned>(date.day))};
  if (!day.ok()) return absent("no month {} has a day {}", date.month, date.day);
  return Seconds{static_cast<double>(std::chrono::sys_days(day).time_since_epoch().count()) * kDay};
}

/// "18:49:17.547" as seconds of the day.
Reading<Seconds> time_of_day(Cursor& cursor) {
  const int hour = cursor.digits(2, 2);
  cursor.skip(':');
  const int minute = cursor.digits(2, 2);
  cursor.skip(':');
  const int second = cursor.digits(2, 2);
  double part = 0;
  if (cursor.starts_with(".,")) {
    cursor.skip_one_of(".,");
    const std::size_t before = cursor.rest().size();
    const int digits = cursor.digits(1, 9);
    part = digits / std::pow(10.0, static_cast<double>(before - cursor.rest().size()));
  }
  if (hour > 23 || minute > 59 || second > 59) return absent("no clock shows such a time");
  return Seconds{hour * 3600.0 + minute * 60 + second + part};
}

/// "+01:00" or "Z", or nothing.
std::optional<Seconds> zone(Cursor& cursor) {
  if (cursor.rest().empty()) return std::nullopt;
  if (!cursor.starts_with("+-")) {
    const std::string_view name = cursor.word();
    if (name != "Z" && name != "UTC" && name != "GMT") cursor.skip('Z');
    return Seconds{0};
  }
  const char sign = cursor.skip_one_of("+-");
  const int hours = cursor.digits(1, 2);
  if (cursor.starts_with(":")) cursor.skip(':');
  const int minutes = cursor.rest().empty() ? 0 : cursor.digits(2, 2);
  if (hours > 14 || minutes > 59) cursor.skip('Z');
  return Seconds{(sign == '-' ? -1 : 1) * (hours * 3600.0 + minutes * 60)};
}

Reading<Stamp> stamp_of(const Date& date, const Reading<Seconds>& time, std::optional<Seconds> offset) {
  const Reading<Seconds> day = midnight(date);
  if (!day.has_value()) return absent(day.reason());
  if (!time.has_value()) return absent(time.reason());
  return Stamp{day.value() + time.value(), offset};
}

int month_named(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto* const month = std::ranges::find(kMonths, name);
  return month == kMonths.end() ? 0 : static_cast<int>(month - kMonths.begin()) + 1;
}

constexpr double kResolution = 1;

/// Between which two moments a stamp was made.
struct Bounds {
  double low;
  double high;
};

Bounds bounds_of(const CoarseStamp& stamp) { return {stamp.time.value, stamp.time.value + kResolution}; }

/// What is known of `stamp` from itself and from what is known of the one above.
Bounds narrowed(const Bounds& above, const CoarseStamp& stamp) {
  const Bounds own = bounds_of(stamp);
  const Bounds chained{above.low + stamp.elapsed.value, above.high + stamp.elapsed.value};
  const bool is_gap = chained.low > own.high + kResolution || chained.high < own.low - kResolution;
  if (is_gap) return own;
  return {std::clamp(chained.low, own.low, own.high), std::clamp(chained.high, own.low, own.high)};
}

}  // namespace

Reading<Stamp> parse_stamp(std::string_view text) {
  Cursor cursor(text);
  Date date;
  date.year = cursor.digits(4, 4);
  const char separator = cursor.skip_one_of("/-");
  date.month = cursor.digits(1, 2);
  cursor.skip(separator);
  date.day = cursor.digits(1, 2);
  cursor.skip_one_of(" T");
  cursor.skip_spaces();
  const Reading<Seconds> time = time_of_day(cursor);
  cursor.skip_spaces();
  const std::optional<Seconds> offset = zone(cursor);
  if (!cursor.is_done()) return absent("is no time such as 2023/12/17 18:49:17.547");
  return stamp_of(date, time, offset);
}

Reading<Stamp> parse_worded_stamp(std::string_view text) {
  Cursor cursor(text);
  cursor.word();  // Of the week.
  cursor.skip_spaces();
  Date date;
  date.month = month_named(cursor.word());
  cursor.skip_spaces();
  date.day = cursor.digits(1, 2);
  cursor.skip_spaces();
  const Reading<Seconds> time = time_of_day(cursor);
  cursor.skip_spaces();
  date.year = cursor.digits(4, 4);
  cursor.skip_spaces();
  const std::optional<Seconds> offset = zone(cursor);
  if (!cursor.is_done() || date.month == 0)
    return absent("is no time such as Sun Dec 17 12:56:33 2023 +0100");
  return stamp_of(date, time, offset);
}

Seconds parse_utc_offset(const std::string& text, const std::string& option) {
  Cursor cursor(text);
  const std::optional<Seconds> offset = zone(cursor);
  if (offset && cursor.is_done()) return *offset;
  throw Error(ErrorKind::kUsage,
              option + " '" + text + "': is no difference to UTC; write +01:00, -0530 or Z");
}

Seconds own_utc_offset(Seconds local) {
  const auto seconds = static_cast<std::time_t>(std::floor(local.value));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  parts.tm_isdst = -1;
  return Seconds{static_cast<double>(seconds - std::mktime(&parts))};
}

std::string utc_offset_text(Seconds offset) {
  const auto minutes = static_cast<int>(std::abs(offset.value) / 60);
  return fmt::format("{}{:02}:{:02}", offset.value < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

std::string utc_text(Seconds time) {
  const auto seconds = static_cast<std::time_t>(std::floor(time.value));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

ChainedTimes chained_times(const std::vector<CoarseStamp>& stamps) {
  std::vector<Bounds> bounds;
  for (const CoarseStamp& stamp : stamps) {
    bounds.push_back(bounds.empty() ? bounds_of(stamp) : narrowed(bounds.back(), stamp));
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
