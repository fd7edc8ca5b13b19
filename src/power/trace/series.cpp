#include <algorithm>
#include <iterator>

#include "gpubench/core/stats/stats.h"
#include "power/trace/integration.h"

namespace gpubench::power {
namespace {

std::vector<double> times_between(const Series& series) {
  std::vector<double> all;
  for (std::size_t i = 1; i < series.size(); ++i) all.push_back(series[i].time - series[i - 1].time);
  return all;
}

/// Returns the readings at which the source was updated. Updates of a stepwise source lie halfway between two
/// readings. Equal power after more than an update period is an update, too.
Series find_updates(const Series& readings, const Cadence& cadence, bool is_counter) {
  Series updates{readings.front()};
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const Point& before = readings[i - 1];
    const Point& point = readings[i];
    const bool is_due = !cadence.is_stepwise || point.time - updates.back().time > 1.5 * cadence.update;
    if (point.value == before.value && (is_counter || !is_due)) continue;
    const double moment = cadence.is_stepwise ? (before.time + point.time) / 2 : point.time;
    updates.push_back({moment, point.value});
  }
  const double tail = readings.back().time - updates.back().time;
  if (tail > (is_counter ? 1.5 * cadence.update : 0)) updates.push_back(readings.back());
  return updates;
}

}  // namespace

std::span<const Point> within(const Series& series, const TimeSpan& window) {
  const auto begin = std::ranges::lower_bound(series, window.begin.value, {}, &Point::time);
  const auto end = std::ranges::upper_bound(begin, series.end(), window.end.value, {}, &Point::time);
  return {begin, end};
}

Cadence compute_cadence(const Series& series) {
  constexpr std::size_t kLeastChanges = 5;
  Cadence cadence;
  if (series.size() < 2) return cadence;
  Series changes;
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (series[i].value != series[i - 1].value) changes.push_back(series[i]);
  }
  cadence.poll = cadence.update = compute_median(times_between(series));
  cadence.changes = changes.size();
  if (changes.size() < 2) return cadence;
  const std::vector<double> between = times_between(changes);
  if (changes.size() >= kLeastChanges) cadence.period = compute_median(between);
  // Equal values in a row hide changes and make times too long, so shorter times are more accurate.
  const double update = compute_quantile(between, 0.25);
  cadence.is_stepwise = update > 1.5 * cadence.poll;
  if (cadence.is_stepwise) cadence.update = update;
  return cadence;
}

double total(std::span<const TimeSpan> windows) {
  double sum = 0;
  for (const TimeSpan& window : windows) sum += compute_length(window).value;
  return sum;
}

EnergyCurve::EnergyCurve(Series readings, const Cadence& cadence, bool is_counter, double averaging) {
  if (readings.empty()) return;
  if (is_counter) bridge_resets(readings);
  const Series points = find_updates(readings, cadence, is_counter);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [time, value] = points[i];
    const double begin = time - averaging / 2;
    const double seconds = i + 1 < points.size() ? points[i + 1].time - time : 0;
    const double rise = seconds > 0 ? (points[i + 1].value - value) / seconds : 0;
    if (!is_counter) {
      segments_.push_back({begin, segments_.empty() ? 0 : at(begin), value, rise});
    } else if (i == 0 || seconds > 0) {
      segments_.push_back({begin, value, rise, 0});
    }
  }
}

// The energy during a reset is unknown; assumes the mean power of the rest.
void EnergyCurve::bridge_resets(Series& readings) {
  double joules = 0;
  double seconds = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (readings[i].value < readings[i - 1].value) continue;
    joules += readings[i].value - readings[i - 1].value;
    seconds += readings[i].time - readings[i - 1].time;
  }
  const double usual_watts = seconds > 0 ? joules / seconds : 0;
  double offset = 0;
  double last = readings.front().value;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const double shown = readings[i].value;
    if (shown < last) {
      resets_.push_back({{readings[i - 1].time}, {readings[i].time}});
      offset += last - shown + usual_watts * compute_length(resets_.back()).value;
    }
    last = shown;
    readings[i].value = shown + offset;
  }
}

double EnergyCurve::at(double time) const {
  const auto next = std::ranges::upper_bound(segments_, time, {}, &Segment::begin);
  const Segment& segment = next == segments_.begin() ? *next : *std::prev(next);
  const double seconds = time - segment.begin;
  return segment.joules + seconds * (segment.watts + std::max(seconds, 0.0) * segment.rise / 2);
}

}  // namespace gpubench::power
