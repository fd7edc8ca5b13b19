#include "gpubench/core/clock.h"

#include <algorithm>
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

}  // namespace

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
