#include "power/trace/series.h"

#include <algorithm>
#include <cmath>

namespace gpubench::power {
namespace {

constexpr std::size_t kLeastChanges = 5;

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

/// Of one quantity.
template <class Unit>
Series series_of(const PowerTrace& trace, Reading<Unit> PowerReading::*quantity) {
  Series series;
  for (const PowerSample& sample : trace.samples) {
    const Reading<Unit>& reading = sample.reading.*quantity;
    if (reading.has_value() && std::isfinite(reading.value().value)) {
      series.push_back({sample.time.value, reading.value().value});
    }
  }
  return series;
}

std::vector<double> times_between(const Series& series) {
  std::vector<double> all;
  for (std::size_t i = 1; i < series.size(); ++i) all.push_back(series[i].time - series[i - 1].time);
  return all;
}

Series changes_of(const Series& series) {
  Series changes;
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (series[i].value != series[i - 1].value) changes.push_back(series[i]);
  }
  return changes;
}

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

Series counter_of(const PowerTrace& trace) { return series_of(trace, &PowerReading::energy); }

Series power_of(const PowerTrace& trace) { return series_of(trace, &PowerReading::power); }

PowerTrace without_counter(PowerTrace trace) {
  for (PowerSample& sample : trace.samples) sample.reading.energy = PowerReading{}.energy;
  return trace;
}

std::size_t first_from(const Series& series, double begin) {
  const auto at = std::partition_point(series.begin(), series.end(),
                                       [&](const Point& point) { return point.time < begin; });
  return static_cast<std::size_t>(at - series.begin());
}

std::size_t first_after(const Series& series, double end) {
  const auto at = std::partition_point(series.begin(), series.end(),
                                       [&](const Point& point) { return point.time <= end; });
  return static_cast<std::size_t>(at - series.begin());
}

Cadence cadence_of(const Series& series) {
  Cadence cadence;
  cadence.poll = median(times_between(series));
  cadence.update = cadence.poll;
  const Series changes = changes_of(series);
  cadence.changes = changes.size();
  const std::vector<double> between = times_between(changes);
  if (changes.size() < kLeastChanges) {
    // Too few for a period; but what stays the same from one change to the next may hide much.
    const auto shortest = std::min_element(between.begin(), between.end());
    if (shortest != between.end()) cadence.update = std::max(cadence.poll, *shortest);
    cadence.is_stepwise = cadence.update > 1.5 * cadence.poll;
    return cadence;
  }
  cadence.period = median(between);
  // Equal neighbours make some of the times too long, so that the shorter ones tell of the source.
  const double update = quantile(between, 0.25);
  cadence.is_stepwise = update > 1.5 * cadence.poll;
  if (cadence.is_stepwise) cadence.update = update;
  return cadence;
}

Series updates_of(const Series& readings, const Cadence& cadence) {
  if (!cadence.is_stepwise) return readings;
  Series updates{readings.front()};
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const double halfway = (readings[i - 1].time + readings[i].time) / 2;
    const bool is_changed = readings[i].value != readings[i - 1].value;
    const bool is_due = readings[i].time - updates.back().time > 1.5 * cadence.update;
    if (is_changed || is_due) updates.push_back({halfway, readings[i].value});
  }
  if (updates.back().time < readings.back().time) updates.push_back(readings.back());
  return updates;
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double position = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= values.size()) return values.back();
  return values[below] + (position - static_cast<double>(below)) * (values[below + 1] - values[below]);
}

double resolution_of(const Series& series) {
  const auto is_multiple_of = [&](double unit) {
    return std::all_of(series.begin(), series.end(), [&](const Point& point) {
      return std::abs(std::remainder(point.value, unit)) < 1e-3 * unit;
    });
  };
  for (const double unit : {10.0, 1.0, 0.1, 0.01, 0.001}) {
    if (is_multiple_of(unit)) return unit;
  }
  return 0;
}

double total(std::span<const TimeSpan> windows) {
  double sum = 0;
  for (const TimeSpan& window : windows) sum += length_of(window).value;
  return sum;
}

std::vector<TimeSpan> joined(std::span<const TimeSpan> windows, double period) {
  std::vector<TimeSpan> all;
  double last_length = 0;
  for (const TimeSpan& window : windows) {
    const double length = length_of(window).value;
    const double shorter = std::min(last_length, length);
    const double gap = all.empty() ? 0 : window.begin.value - all.back().end.value;
    if (!all.empty() && gap < std::max(period, shorter / 100)) {
      all.back().end = window.end;
    } else {
      all.push_back(window);
    }
    last_length = length;
  }
  return all;
}

std::vector<TimeSpan> gaps_within(std::span<const TimeSpan> windows, std::span<const TimeSpan> joined) {
  std::vector<TimeSpan> gaps;
  std::size_t at = 0;
  for (std::size_t i = 1; i < windows.size(); ++i) {
    while (at < joined.size() && joined[at].end < windows[i].end) ++at;
    const bool is_inside = at < joined.size() && joined[at].begin < windows[i].begin;
    if (is_inside && windows[i - 1].end < windows[i].begin) {
      gaps.push_back({windows[i - 1].end, windows[i].begin});
    }
  }
  return gaps;
}

double overlap(const TimeSpan& a, const TimeSpan& b) {
  return std::max(0.0, std::min(a.end, b.end).value - std::max(a.begin, b.begin).value);
}

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
