#include "gpubench/core/clock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/chrono.h>

namespace gpubench {
Seconds SteadyClock::now() const {
  using Steady = std::chrono::steady_clock;
  static_assert(Steady::is_steady);
  return {std::chrono::duration<double>(Steady::now().time_since_epoch()).count()};
}

Seconds read_clock(clockid_t clock) {
  std::timespec time{};
  clock_gettime(clock, &time);
  return {static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9};
}

std::string utc_timestamp() { return fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr))); }

std::string utc_timestamp_milliseconds() {
  using std::chrono::floor, std::chrono::system_clock;
  const auto now = floor<std::chrono::milliseconds>(system_clock::now());
  // Explicit rounding down: the seconds and their fraction come from one reading of the clock.
  const auto whole = floor<std::chrono::seconds>(now);
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(system_clock::to_time_t(whole)), (now - whole).count());
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
