#include "gpubench/core/clock.h"

#include <chrono>

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

}  // namespace gpubench
