#include "gpubench/core/clock.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/chrono.h>

namespace gpubench {
namespace {

using std::chrono::system_clock;

std::string utc_text(system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(system_clock::to_time_t(time)));
}

/// Of "2026-11-22T...".
std::optional<std::chrono::sys_days> date_in(const std::string& text) {
  const auto number_at = [&](std::size_t first, std::size_t count) {
    int number = 0;
    if (text.size() >= first + count) std::from_chars(&text[first], &text[first] + count, number);
    return number;
  };
  const auto date = std::chrono::year(number_at(0, 4)) / number_at(5, 2) / number_at(8, 2);
  return date.ok() ? std::optional<std::chrono::sys_days>(date) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> days_between(const std::string& from, const std::string& to) {
  const auto first = date_in(from);
  const auto last = date_in(to);
  if (!first || !last) return std::nullopt;
  return (*last - *first).count();
}

Seconds SteadyClock::now() const {
  using Steady = std::chrono::steady_clock;
  static_assert(Steady::is_steady);
  return {std::chrono::duration<double>(Steady::now().time_since_epoch()).count()};
}

std::string utc_timestamp() { return utc_text(system_clock::now()) + "Z"; }

std::string utc_timestamp_milliseconds() {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(system_clock::now());
  // Rounded down by hand, so that the seconds and their part are of the same moment.
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  return fmt::format("{}.{:03}Z", utc_text(whole), (now - whole).count());
}

Deadline::Deadline(Seconds budget) : end_(SteadyClock().now() + budget) {}

Seconds Deadline::left() const {
  if (end_ == kNever) return {std::numeric_limits<double>::infinity()};
  return {std::max(0.0, (end_ - SteadyClock().now()).value)};
}

int Deadline::milliseconds() const {
  constexpr double kHour = 3600;
  return static_cast<int>(std::ceil(1e3 * std::min(left().value, kHour)));
}

Deadline Deadline::at_most(Seconds budget) const {
  const Deadline other(budget);
  return other.end_ < end_ ? other : *this;
}

}  // namespace gpubench
