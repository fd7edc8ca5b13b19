#include <algorithm>
#include <utility>

#include "gpubench/core/stats/stats.h"
#include "power/trace/integration.h"

namespace gpubench::power {
namespace {

std::vector<double> times_between(const Series& series) {
  std::vector<double> all;
  for (std::size_t i = 1; i < series.size(); ++i) all.push_back(series[i].time - series[i - 1].time);
  return all;
}

/// Finds new figures, taken over halfway between two readings. A value that outlasts an update is new, too.
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

double slope(const Point& a, const Point& b) {
  return b.time > a.time ? (b.value - a.value) / (b.time - a.time) : 0;
}

double interpolated(const Point& a, const Point& b, double time) {
  return b.time > a.time ? a.value + slope(a, b) * (time - a.time) : b.value;
}

/// Computes power between two readings ten polls apart, so that the moment of an update hardly matters.
std::vector<double> make_watts(const Series& readings) {
  constexpr std::size_t kApart = 10;
  const std::size_t step = std::min(kApart, readings.size() - 1);
  std::vector<double> all;
  for (std::size_t i = step; i < readings.size(); i += step) {
    all.push_back(std::max(0.0, slope(readings[i - step], readings[i])));
  }
  return all;
}

}  // namespace

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
  constexpr std::size_t kLeastChanges = 5;
  Cadence cadence;
  if (series.size() > 1) cadence.poll = compute_median(times_between(series));
  cadence.update = cadence.poll;
  Series changes;
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (series[i].value != series[i - 1].value) changes.push_back(series[i]);
  }
  cadence.changes = changes.size();
  const std::vector<double> between = times_between(changes);
  if (changes.size() < kLeastChanges) {
    // Too few for a period; but what stays the same from one change to the next may hide much.
    if (!between.empty()) cadence.update = std::max(cadence.poll, std::ranges::min(between));
    cadence.is_stepwise = cadence.update > 1.5 * cadence.poll;
    return cadence;
  }
  cadence.period = compute_median(between);
  // Equal neighbours make some of the times too long, so the shorter ones are nearer to the source's period.
  const double update = compute_quantile(between, 0.25);
  cadence.is_stepwise = update > 1.5 * cadence.poll;
  if (cadence.is_stepwise) cadence.update = update;
  return cadence;
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

CounterCurve::CounterCurve(Series readings, const Cadence& cadence)
    : readings_(std::move(readings)), cadence_(cadence) {
  if (readings_.size() > 1) {
    bridge_resets(compute_median(make_watts(readings_)));
    high_watts_ = std::ranges::max(make_watts(readings_));
  }
  find_changes();
}

// A counter that falls began anew, and the energy between the two readings is unknown.
void CounterCurve::bridge_resets(double usual_watts) {
  double offset = 0;
  double last = readings_.front().value;
  for (std::size_t i = 1; i < readings_.size(); ++i) {
    const double shown = readings_[i].value;
    if (shown < last) {
      const TimeSpan span{{readings_[i - 1].time}, {readings_[i].time}};
      bridges_.push_back({span, usual_watts * compute_length(span).value});
      offset += last - shown + bridges_.back().joules;
    }
    last = shown;
    readings_[i].value = shown + offset;
  }
}

void CounterCurve::find_changes() {
  for (std::size_t i = 1; i < readings_.size(); ++i) {
    const Point& before = readings_[i - 1];
    const Point& point = readings_[i];
    if (point.value == before.value) continue;
    changes_.push_back({before.time, point.time, point.value});
    // A counter that is new at every reading is finer than they are, and was taken over just before.
    const double moment = cadence_.is_stepwise ? (before.time + point.time) / 2 : point.time;
    points_.push_back({moment, point.value});
  }
  if (!cadence_.is_stepwise && !readings_.empty()) points_.insert(points_.begin(), readings_.front());
}

double CounterCurve::at(double time) const {
  double joules = readings_.front().value;
  if (points_.size() > 1) {
    const std::size_t next = std::clamp<std::size_t>(first_from(points_, time), 1, points_.size() - 1);
    joules = interpolated(points_[next - 1], points_[next], time);
  }
  return std::clamp(joules, least(time), most(time));
}

double CounterCurve::least(double time) const {
  const std::size_t after = first_after(readings_, time);
  if (after > 0) return readings_[after - 1].value;
  return readings_.front().value - high_watts_ * (readings_.front().time - time + cadence_.update);
}

double CounterCurve::most(double time) const {
  const auto next = std::ranges::lower_bound(changes_, time, {}, &Change::before);
  if (next != changes_.end()) return next->value;
  const double since = changes_.empty() ? readings_.front().time : changes_.back().before;
  return readings_.back().value + high_watts_ * std::max(0.0, time - since + cadence_.update);
}

double CounterCurve::peak(const TimeSpan& window) const {
  constexpr std::size_t kApart = 20;
  const auto points = within(readings_, window);
  double highest = 0;
  for (std::size_t i = kApart; i < points.size(); ++i) {
    highest = std::max(highest, slope(points[i - kApart], points[i]));
  }
  return highest;
}

bool CounterCurve::is_changing_in(const TimeSpan& window) const {
  const auto next = std::ranges::upper_bound(changes_, window.begin.value, {}, &Change::time);
  return next != changes_.end() && next->time <= window.end.value;
}

PowerCurve::PowerCurve(const Series& readings, const Cadence& cadence, double averaging) {
  if (readings.empty()) return;
  points_ = find_updates(readings, cadence);
  joules_.push_back(0);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    points_[i].time -= averaging / 2;
    if (i == 0) continue;
    const double seconds = points_[i].time - points_[i - 1].time;
    joules_.push_back(joules_.back() + seconds * (points_[i].value + points_[i - 1].value) / 2);
  }
}

double PowerCurve::at(double time) const {
  const std::size_t next = first_from(points_, time);
  const std::size_t from = next == 0 ? 0 : next - 1;
  const bool is_outside = next == 0 || next == points_.size();
  const double watts = is_outside ? points_[from].value : interpolated(points_[from], points_[next], time);
  return joules_[from] + (time - points_[from].time) * (points_[from].value + watts) / 2;
}

}  // namespace gpubench::power
