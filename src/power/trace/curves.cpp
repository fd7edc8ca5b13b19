#include "power/trace/curves.h"

#include <algorithm>
#include <cmath>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench::power {
namespace {

double slope(const Point& a, const Point& b) {
  return b.time > a.time ? (b.value - a.value) / (b.time - a.time) : 0;
}

double line(const Point& a, const Point& b, double time) {
  if (!(b.time > a.time)) return b.value;
  return a.value + (b.value - a.value) * (time - a.time) / (b.time - a.time);
}

/// Power between two readings ten polls apart, so that the moment of an update hardly matters.
std::vector<double> watts_of(const Series& readings) {
  constexpr std::size_t kApart = 10;
  const std::size_t step = std::min(kApart, readings.size() - 1);
  std::vector<double> all;
  for (std::size_t i = step; i < readings.size(); i += step) {
    all.push_back(std::max(0.0, slope(readings[i - step], readings[i])));
  }
  return all;
}

/// What averaging hides of a load's changes, as a part of its power.
constexpr double kSmoothed = 0.1;

/// The variance of one sample, from how far it is from the line between its neighbours: 1.5 times it for
/// independent samples at equal distances, next to nothing for a slow drift, which the trapezoid follows.
double variance_of(const Point& before, const Point& point, const Point& after) {
  const double off = point.value - line(before, after, point.time);
  const double part = (point.time - before.time) / (after.time - before.time);
  return off * off / (1 + part * part + (1 - part) * (1 - part));
}

}  // namespace

CounterCurve::CounterCurve(Series readings, const Cadence& cadence)
    : readings_(std::move(readings)), cadence_(cadence) {
  if (readings_.size() > 1) {
    mend(quantile(watts_of(readings_), 0.5));
    high_watts_ = quantile(watts_of(readings_), 1);
  }
  find_changes();
}

// A counter that falls began anew: of the time between it tells nothing.
void CounterCurve::mend(double usual_watts) {
  double offset = 0;
  double last = readings_.front().value;
  for (std::size_t i = 1; i < readings_.size(); ++i) {
    const double shown = readings_[i].value;
    if (shown < last) {
      const TimeSpan span{{readings_[i - 1].time}, {readings_[i].time}};
      bridges_.push_back({span, usual_watts * length_of(span).value});
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
    joules = line(points_[next - 1], points_[next], time);
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

PowerCurve::PowerCurve(const Series& readings, const Cadence& cadence, double averaging)
    : cadence_(cadence), averaging_(averaging) {
  if (readings.empty()) return;
  points_ = updates_of(readings, cadence);
  joules_.push_back(0);
  for (std::size_t i = 0; i < points_.size(); ++i) {
    points_[i].time -= averaging / 2;
    if (i == 0) continue;
    const double seconds = points_[i].time - points_[i - 1].time;
    joules_.push_back(joules_.back() + seconds * (points_[i].value + points_[i - 1].value) / 2);
  }
}

double PowerCurve::watts(double time) const {
  const std::size_t next = first_from(points_, time);
  if (next == 0) return points_.front().value;
  if (next == points_.size()) return points_.back().value;
  return line(points_[next - 1], points_[next], time);
}

double PowerCurve::at(double time) const {
  const std::size_t next = first_from(points_, time);
  const std::size_t from = next == 0 ? 0 : next - 1;
  const double seconds = time - points_[from].time;
  return joules_[from] + seconds * (points_[from].value + watts(time)) / 2;
}

SamplingError PowerCurve::sampling_error(const TimeSpan& window) const {
  double joules = 0;  // Sum of the variances that the samples bring into the integral.
  double fourth = 0;  // Sum of their squares: tells how few samples make up the first.
  double watts = 0;   // Sum of squared deviations of a sample.
  double count = 0;
  const std::size_t first = first_from(points_, window.begin.value);
  const std::size_t last = first_after(points_, window.end.value);
  for (std::size_t i = std::max<std::size_t>(first, 2) - 1; i < last + 1 && i + 1 < points_.size(); ++i) {
    if (!(points_[i + 1].time > points_[i - 1].time)) continue;
    const double seconds = (points_[i + 1].time - points_[i - 1].time) / 2;
    // What a sensor averages over, it has seen.
    const double unseen = std::max(1.0 / 16, 1 - averaging_ / seconds);
    const double variance = variance_of(points_[i - 1], points_[i], points_[i + 1]);
    const double share = seconds * seconds * unseen * variance;
    joules += share;
    fourth += share * share;
    watts += variance;
    ++count;
  }
  if (count == 0 || joules == 0) return {};
  // Satterthwaite: three times this for a normal scatter, of which neighbours share two thirds.
  const double freedom = std::max(2.0, 1.5 * joules * joules / fourth);
  return {kNormalScore * student_factor(freedom) * std::sqrt(joules), std::sqrt(watts / count)};
}

double PowerCurve::range(double begin, double end) const {
  std::vector<double> all = mapped(within(points_, {{begin}, {end}}), &Point::value);
  all.push_back(watts(begin));
  all.push_back(watts(end));
  const auto [low, high] = std::ranges::minmax(all);
  return high - low;
}

double PowerCurve::edge_error(const TimeSpan& window) const {
  const double late = cadence_.poll / 2;
  const double about = std::max(averaging_, cadence_.update);
  const double drift = std::abs(watts(window.end.value) - watts(window.begin.value));
  double joules = late * drift;
  for (const double time : {window.begin.value, window.end.value}) {
    const double steps = range(time - about, time + about);
    // A step at the very end is off by an eighth of the averaging: twice that, and for a tenth of the power
    // at least, since the sensor has smoothed it.
    joules += late * steps + averaging_ / 4 * std::max(steps, kSmoothed * watts(time));
  }
  return joules;
}

double PowerCurve::gap_error(const TimeSpan& window) const {
  const double least = 3 * cadence_.update;
  const double mean = (at(window.end.value) - at(window.begin.value)) / length_of(window).value;
  const double unknown = std::max(range(window.begin.value, window.end.value), mean / 2);
  double seconds = std::max(0.0, points_.front().time - window.begin.value - cadence_.update) +
                   std::max(0.0, window.end.value - points_.back().time - cadence_.update);
  const std::size_t last = std::min(first_after(points_, window.end.value) + 1, points_.size());
  for (std::size_t i = std::max<std::size_t>(first_from(points_, window.begin.value), 1); i < last; ++i) {
    const TimeSpan gap{{points_[i - 1].time}, {points_[i].time}};
    if (length_of(gap).value > least) seconds += overlap(gap, window);
  }
  return unknown * seconds;
}

}  // namespace gpubench::power
