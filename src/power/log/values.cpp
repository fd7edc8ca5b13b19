#include "power/log/values.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>

#include <fmt/chrono.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

/// Removes ".547" or ",547" from the start of a text and returns it; 0 for other texts.
double take_fraction(std::string_view& text) {
  if (!text.starts_with('.') && !text.starts_with(',')) return 0;
  const std::string digits(
      text.substr(1, std::min(text.find_first_not_of("0123456789", 1), text.size()) - 1));
  if (digits.empty() || digits.size() > 9) return 0;
  text.remove_prefix(digits.size() + 1);
  return parse_decimal("0." + digits).value_or(0);
}

/// Reads "+01:00" or "Z"; nothing for other texts.
std::optional<Seconds> zone(std::string_view text) {
  if (text == "Z" || text == "UTC" || text == "GMT") return Seconds{0};
  if (!text.starts_with('+') && !text.starts_with('-')) return std::nullopt;
  std::string digits(text.substr(1));
  if (digits.size() == 5 && digits[2] == ':') digits.erase(2, 1);
  if (digits.size() == 2) digits += "00";
  if (digits.size() != 4 || digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const int hours = std::stoi(digits) / 100;
  const int minutes = std::stoi(digits) % 100;
  if (hours > 14 || minutes > 59) return std::nullopt;
  return Seconds{(text.front() == '-' ? -60 : 60) * (hours * 60.0 + minutes)};
}

/// Reads Unix time in seconds, milliseconds, microseconds or nanoseconds: the one named by `format`, or else
/// the one that gives a time after 2010. Counters of nanoseconds are smaller.
std::optional<Stamp> unix_stamp(std::string_view text, std::string_view format) {
  if (text.find_first_not_of("0123456789.eE+") != std::string_view::npos) return std::nullopt;
  std::optional<double> time = parse_decimal(text);
  if (!time) return std::nullopt;
  constexpr double kFirst = 1262304000;  // 2010-01-01
  constexpr double kLast = 4133980800;   // 2101-01-01
  const bool has_point = text.find('.') != std::string_view::npos;
  constexpr std::array<std::string_view, 4> kFormats{"unix", "unix-ms", "unix-us", "unix-ns"};
  for (std::size_t i = 0; i < kFormats.size(); ++i, *time /= 1000) {
    const bool is_wanted = format.empty() || format == kFormats[i];
    if (is_wanted && *time >= kFirst && *time < kLast)
      return Stamp{Seconds{*time}, Seconds{0}, has_point || i > 0};
  }
  return std::nullopt;
}

/// Orders of date and time that are unambiguous. A zone may follow each, and stands at "@".
constexpr std::array kCalendars{"%Y/%m/%d %H:%M:%S",      "%Y-%m-%d %H:%M:%S",
                                "%Y-%m-%dT%H:%M:%S",      "%d.%m.%Y %H:%M:%S",
                                "%a %b %d %H:%M:%S %Y",   "%a %b %d %H:%M:%S @ %Y",
                                "%Y%m%d %H:%M:%S",        "%Y%m%dT%H:%M:%S",
                                "%Y%m%dT%H%M%S",          "%Y%m%d_%H%M%S",
                                "%Y%m%d-%H%M%S",          "%Y-%m-%d_%H-%M-%S",
                                "%Y-%m-%d_%H:%M:%S",      "%a %b %d %I:%M:%S %p @ %Y",
                                "%a %d %b %H:%M:%S @ %Y", "%a %d %b %Y %I:%M:%S %p",
                                "%a, %d %b %Y %H:%M:%S",  "%Y/%m/%d %I:%M:%S %p",
                                "%Y-%m-%d %I:%M:%S %p"};

/// Date and time at the start of a text.
struct Calendar {
  std::tm parts{};
  std::string_view zone{};  ///< Word at "@".
  std::string_view rest{};  ///< Text behind.
};

/// Reads a text by a format of strptime(); nothing for other texts.
std::optional<Calendar> read_calendar(const std::string& text, std::string_view format) {
  Calendar found;
  const std::size_t at = format.find('@');
  const char* end = strptime(text.c_str(), std::string(format.substr(0, at)).c_str(), &found.parts);
  if (end != nullptr && at != std::string_view::npos) {
    const std::string_view tail = end;
    found.zone = tail.substr(0, tail.find(' '));
    end = strptime(end + found.zone.size(), std::string(format.substr(at + 1)).c_str(), &found.parts);
  }
  if (end == nullptr) return std::nullopt;
  found.rest = end;
  return found;
}

/// Returns the stamp of date, time, fraction and zone.
Measured<Stamp> make_stamp(const Calendar& found) {
  const std::tm& parts = found.parts;
  std::string_view rest = found.rest;
  const std::size_t size = rest.size();
  const double fraction = take_fraction(rest);
  const bool has_fraction = rest.size() < size;
  rest = trimmed(rest);
  // Go writes a name behind the offset: "+0100 CET".
  const std::size_t blank = rest.find(' ');
  if (blank != std::string_view::npos && zone(rest.substr(0, blank))) rest = rest.substr(0, blank);
  const std::string_view named = found.zone.empty() ? rest : found.zone;
  const std::optional<Seconds> offset = zone(named);
  if (!named.empty() && !offset && named.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == named.npos)
    return missing("names the zone {} without its offset; record with TZ=UTC", named);
  if (parts.tm_sec > 59 || (!named.empty() && !offset) || (!found.zone.empty() && !rest.empty()))
    return missing("is not a time such as 2023/12/17 18:49:17.547 or Sun Dec 17 12:56:33 2023 +0100");
  const std::chrono::year_month_day day =
      std::chrono::year(parts.tm_year + 1900) / (parts.tm_mon + 1) / parts.tm_mday;
  if (!day.ok()) return missing("has day {}, which month {} lacks", parts.tm_mday, parts.tm_mon + 1);
  // GPUs had no power sensors before.
  if (day.year() < std::chrono::year(2000) || day.year() > std::chrono::year(2100))
    return missing("has year {}, outside 2000 to 2100", parts.tm_year + 1900);
  const auto days = std::chrono::sys_days(day).time_since_epoch().count();
  const int seconds = parts.tm_hour * 3600 + parts.tm_min * 60 + parts.tm_sec;
  return Stamp{Seconds{86400.0 * static_cast<double>(days) + seconds + fraction}, offset, has_fraction};
}

struct Unit {
  std::string_view name;
  double watts;
};

/// Long names first: headings may end with them without a separator.
constexpr std::array kUnits{Unit{"milliwatts", 1e-3}, Unit{"milliwatt", 1e-3}, Unit{"watts", 1},
                            Unit{"watt", 1},          Unit{"mw", 1e-3},        Unit{"kw", 1e3},
                            Unit{"uw", 1e-6},         Unit{"\xc2\xb5w", 1e-6}, Unit{"w", 1}};

}  // namespace

Measured<Stamp> parse_stamp(std::string_view text, const std::string& format) {
  const bool is_unix = format.starts_with("unix");
  if (const auto stamp = is_unix || format.empty() ? unix_stamp(text, format) : std::nullopt) return *stamp;
  Measured<Stamp> result =
      missing("is not a time such as {}", format.empty() ? "2023/12/17 18:49:17.547" : format);
  const std::string whole(text);  // Null-terminated, for strptime().
  std::size_t least = whole.size() + 1;
  const auto try_calendar = [&](std::string_view each) {
    const std::optional<Calendar> found = read_calendar(whole, each);
    if (!found) return;
    Measured<Stamp> stamp = make_stamp(*found);
    // The reason is that of the format that fits best.
    if (stamp.has_value() || found->rest.size() < least) result = std::move(stamp);
    least = std::min(least, found->rest.size());
  };
  if (!is_unix && !format.empty()) try_calendar(format);
  for (std::size_t i = 0; format.empty() && i < kCalendars.size() && !result.has_value(); ++i)
    try_calendar(kCalendars[i]);
  return result;
}

Seconds parse_utc_offset(const std::string& text, const std::string& option) {
  if (const std::optional<Seconds> offset = zone(text)) return *offset;
  throw Error(ErrorKind::kUsage, "{} '{}': not a UTC offset; write +01:00, -0530 or Z", option, text);
}

std::string utc_text(Seconds time) {
  const auto seconds = static_cast<std::time_t>(std::floor(time.value));
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds));
}

std::optional<double> watts_per_unit(std::string_view unit) {
  const auto* const found = std::ranges::find(kUnits, lower(unit), &Unit::name);
  return found == kUnits.end() ? std::nullopt : std::optional(found->watts);
}

std::string_view unit_at_end(std::string_view text) {
  const auto ends = [&](const Unit& unit) { return text.ends_with(unit.name); };
  const auto* const found = std::ranges::find_if(kUnits, ends);
  return found == kUnits.end() ? "" : found->name;
}

Amount amount_in(std::string_view field) {
  const std::size_t end = field.find_last_of("0123456789.") + 1;
  return {field.substr(0, end), trimmed(field.substr(end))};
}

std::optional<Watts> parse_watts(std::string_view text) {
  const auto [digits, unit] = amount_in(text);
  const std::optional<double> number = parse_decimal(digits);
  const std::optional<double> watts = watts_per_unit(unit);
  return number && watts ? std::optional(Watts{*number * *watts}) : std::nullopt;
}

std::optional<std::int64_t> gpu_index(std::string_view text) {
  if (text.ends_with(']')) text.remove_suffix(1);
  const std::size_t last = text.find_last_not_of("0123456789");
  const std::string_view digits = text.substr(last == std::string_view::npos ? 0 : last + 1);
  const std::string word = lower(text.substr(0, text.size() - digits.size()));
  constexpr std::array<std::string_view, 9> kWords{"",     "gpu",  "gpu ", "gpu_", "gpu-",
                                                   "gpu.", "gpu[", "card", "cuda:"};
  const bool is_named = digits.size() <= 4 && std::ranges::find(kWords, word) != kWords.end();
  return is_named ? parse_whole(digits) : std::nullopt;
}

}  // namespace gpubench
