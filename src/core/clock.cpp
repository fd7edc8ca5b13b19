#include "gpubench/core/clock.h"

#include <chrono>
#include <ctime>

namespace gpubench {

Seconds SteadyClock::now() const {
  using Steady = std::chrono::steady_clock;
  static_assert(Steady::is_steady);
  return {std::chrono::duration<double>(Steady::now().time_since_epoch()).count()};
}

std::string utc_timestamp() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[sizeof "2000-01-01T00:00:00Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace gpubench
