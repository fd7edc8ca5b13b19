#include "power/trace/curves.h"

#include <algorithm>
#include <cmath>

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

CounterCurve::CounterCurve(Series readings, const Cadence& cadence)
    : readings_(std::move(readings)), cadence_(cadence) {
  if (readings_.size() > 1) {
    mend(quantile(make_watts(readings_), 0.5));
    high_watts_ = quantile(make_watts(readings_), 1);
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

}  // namespace gpubench::power
