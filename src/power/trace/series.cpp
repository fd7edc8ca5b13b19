#include "power/trace/series.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpubench::power {
namespace {

constexpr std::size_t kLeastChanges = 5;

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

std::vector<double> times_between(const Series& series) {
  std::vector<double> all;
  for (std::size_t i = 1; i < series.size(); ++i) all.push_back(series[i].time - series[i - 1].time);
  return all;
}

Series list_changes(const Series& series) {
  Series changes;
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (series[i].value != series[i - 1].value) changes.push_back(series[i]);
  }
  return changes;
}

}  // namespace

PowerTrace without_counter(PowerTrace trace) {
  for (PowerSample& sample : trace.samples) sample.reading.energy = PowerReading{}.energy;
  return trace;
}

std::size_t first_from(const Series& series, double begin) {
  return static_cast<std::size_t>(std::ranges::lower_bound(series, begin, {}, &Point::time) - series.begin());
}

std::size_t first_after(const Series& series, double end) {
  return static_cast<std::size_t>(std::ranges::upper_bound(series, end, {}, &Point::time) - series.begin());
}

std::span<const Point> within(const Series& series, const TimeSpan& window) {
  const std::size_t begin = first_from(series, window.begin.value);
  const std::size_t end = std::max(begin, first_after(series, window.end.value));
  return std::span(series).subspan(begin, end - begin);
}

Cadence compute_cadence(const Series& series) {
  Cadence cadence;
  cadence.poll = median(times_between(series));
  cadence.update = cadence.poll;
  const Series changes = list_changes(series);
  cadence.changes = changes.size();
  const std::vector<double> between = times_between(changes);
  if (changes.size() < kLeastChanges) {
    // Too few for a period; but what stays the same from one change to the next may hide much.
    if (!between.empty()) cadence.update = std::max(cadence.poll, std::ranges::min(between));
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

Series find_updates(const Series& readings, const Cadence& cadence) {
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
  std::ranges::sort(values);
  const double position = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= values.size()) return values.back();
  return values[below] + (position - static_cast<double>(below)) * (values[below + 1] - values[below]);
}

double compute_resolution(const Series& series) {
  for (const double unit : {10.0, 1.0, 0.1, 0.01, 0.001}) {
    const auto is_multiple = [unit](double value) {
      return std::abs(std::remainder(value, unit)) < 1e-3 * unit;
    };
    if (std::ranges::all_of(series, is_multiple, &Point::value)) return unit;
  }
  return 0;
}

double total(std::span<const TimeSpan> windows) {
  double sum = 0;
  for (const TimeSpan& window : windows) sum += compute_length(window).value;
  return sum;
}

JoinedWindows joined(std::span<const TimeSpan> windows, double period) {
  JoinedWindows all;
  double last_length = 0;
  for (const TimeSpan& window : windows) {
    const double length = compute_length(window).value;
    const double shorter = std::min(std::exchange(last_length, length), length);
    const TimeSpan gap{all.spans.empty() ? window.begin : all.spans.back().end, window.begin};
    if (all.spans.empty() || compute_length(gap).value >= std::max(period, shorter / 100)) {
      all.spans.push_back(window);
      continue;
    }
    all.spans.back().end = window.end;
    if (compute_length(gap).value > 0) all.gaps.push_back(gap);
  }
  return all;
}

double overlap(const TimeSpan& a, const TimeSpan& b) {
  return std::max(0.0, std::min(a.end, b.end).value - std::max(a.begin, b.begin).value);
}

}  // namespace gpubench::power
