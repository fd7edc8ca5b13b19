#include "engine/judge/op_doubts.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gpubench/core/stats/stats.h"

namespace gpubench {

bool was_still_busy(std::span<const double> windows, std::span<const double> waits) {
  // Any pause of the host may fall into one of them.
  constexpr double kPart = 0.1;
  constexpr double kLeast = 0.001;
  bool is_busy = !windows.empty();
  for (std::size_t i = 0; i < windows.size(); ++i) {
    is_busy = is_busy && waits[i] > std::max(kLeast, kPart * windows[i]);
  }
  return is_busy;
}

std::optional<Warning> clock_warning(std::span<const double> device_seconds,
                                     std::span<const double> host_seconds) {
  constexpr double kPart = 0.1;
  constexpr double kShort = 0.001;
  if (device_seconds.empty() || host_seconds.empty()) return std::nullopt;
  const double host = median_of(host_seconds);
  const double ratio = median_of(device_seconds) / host;
  if (host < kShort || std::abs(ratio - 1) <= kPart) return std::nullopt;
  return Warning{"clocks", std::max(ratio, 1 / ratio),
                 fmt::format("the device's own clock says {:.2f} times what the host's says", ratio)};
}

}  // namespace gpubench
