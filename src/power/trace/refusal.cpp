#include "power/trace/refusal.h"

#include <algorithm>

namespace gpubench::power {
namespace {

/// Fewer changes do not tell a source that varies from a load that rarely does.
constexpr std::size_t kVarying = 8;
constexpr double kStuckPeriods = 10;
constexpr double kStuckSeconds = 2;
/// A sensor of few digits repeats itself under a steady load.
constexpr double kCoarse = 1e-3;
constexpr double kCoarseFactor = 10;
constexpr double kNeverChanged = 10;  // Seconds.

/// Energy's reason where the source has a counter at other times, else that of power.
std::string refusal_of(const PowerReading& reading) {
  const bool is_counter = reading.energy.reason() != PowerReading{}.energy.reason();
  return is_counter && !reading.energy.has_value() ? reading.energy.reason() : reading.power.reason();
}

/// How often the value was shown that a window shows for longer than `longest`; 0 where none is.
std::size_t repeats_in(const Series& readings, const TimeSpan& window, double longest) {
  const std::size_t end = first_after(readings, window.end.value);
  std::size_t begin = first_from(readings, window.begin.value);
  for (std::size_t i = begin; i < end; ++i) {
    if (readings[i].value != readings[begin].value) begin = i;
    if (readings[i].time - readings[begin].time <= longest) continue;
    const auto differs = [&](const Point& point) { return point.value != readings[begin].value; };
    const auto from = readings.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto to = std::find_if(from, readings.begin() + static_cast<std::ptrdiff_t>(end), differs);
    return static_cast<std::size_t>(to - from);
  }
  return 0;
}

}  // namespace

std::string refusal_in(const PowerTrace& trace, std::span<const TimeSpan> windows) {
  if (trace.samples.empty()) return "it was not read";
  std::string last;
  std::string within;
  for (const PowerSample& sample : trace.samples) {
    const std::string reason = refusal_of(sample.reading);
    if (reason.empty()) continue;
    last = reason;
    const bool is_within =
        !windows.empty() && sample.time >= windows.front().begin && sample.time <= windows.back().end;
    if (is_within) within = reason;
  }
  if (!within.empty()) return within;
  return last.empty() ? "no reading there" : last;
}

std::size_t stuck_repeats(const Series& readings, const Cadence& cadence, double resolution,
                          std::span<const TimeSpan> windows, bool is_replayed) {
  const double seconds = readings.back().time - readings.front().time;
  if (cadence.changes == 0 && !is_replayed && seconds >= kNeverChanged) return readings.size();
  if (cadence.changes < kVarying) return 0;
  const double patience = resolution > kCoarse * readings.back().value ? kCoarseFactor : 1;
  const double longest = patience * std::max(kStuckSeconds, kStuckPeriods * cadence.period);
  for (const TimeSpan& window : windows) {
    const std::size_t repeats = repeats_in(readings, window, longest);
    if (repeats > 0) return repeats;
  }
  return 0;
}

}  // namespace gpubench::power
