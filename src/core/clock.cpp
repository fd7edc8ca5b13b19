#include "gpubench/core/clock.h"

#include <chrono>
#include <ctime>

namespace gpubench {
namespace {

std::string utc_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[sizeof "2000-01-01T00:00:00"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  return text;
}

}  // namespace

Seconds SteadyClock::now() const {
  using Steady = std::chrono::steady_clock;
  static_assert(Steady::is_steady);
  return {std::chrono::duration<double>(Steady::now().time_since_epoch()).count()};
}

std::string utc_timestamp() { return utc_text(std::chrono::system_clock::now()) + "Z"; }

std::string utc_timestamp_milliseconds() {
  const auto now = std::chrono::system_clock::now();
  const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  // Rounded down by hand, so that the seconds and their part are of the same moment.
  const auto whole = std::chrono::system_clock::time_point(std::chrono::seconds(count / 1000));
  const std::string part = std::to_string(1000 + count % 1000).substr(1);
  return utc_text(whole) + "." + part + "Z";
}

}  // namespace gpubench
