#include "power/trace/series.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gpubench::power {
namespace {

constexpr std::size_t kLeastChanges = 5;

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

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

}  // namespace

Series counter_of(const PowerTrace& trace) {
  Series series;
  for (const PowerSample& sample : trace.samples) {
    const auto& energy = sample.reading.energy;
    if (energy.has_value() && std::isfinite(energy.value().value)) {
      series.push_back({sample.time.value, energy.value().value});
    }
  }
  return series;
}

Series power_of(const PowerTrace& trace) {
  Series series;
  for (const PowerSample& sample : trace.samples) {
    const auto& power = sample.reading.power;
    if (power.has_value() && std::isfinite(power.value().value)) {
      series.push_back({sample.time.value, power.value().value});
    }
  }
  return series;
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

std::string fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace gpubench::power
