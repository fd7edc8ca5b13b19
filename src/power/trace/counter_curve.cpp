#include "power/trace/counter_curve.h"

#include <algorithm>

namespace gpubench::power {
namespace {

double slope(const Point& a, const Point& b) {
  return b.time > a.time ? (b.value - a.value) / (b.time - a.time) : 0;
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

double CounterCurve::line(double time) const {
  if (points_.size() < 2) return readings_.front().value;
  const std::size_t next = std::clamp<std::size_t>(first_from(points_, time), 1, points_.size() - 1);
  const Point& a = points_[next - 1];
  return a.value + slope(a, points_[next]) * (time - a.time);
}

double CounterCurve::at(double time) const { return std::clamp(line(time), least(time), most(time)); }

double CounterCurve::least(double time) const {
  const std::size_t after = first_after(readings_, time);
  if (after > 0) return readings_[after - 1].value;
  return readings_.front().value - high_watts_ * (readings_.front().time - time + cadence_.update);
}

double CounterCurve::most(double time) const {
  const auto next = std::partition_point(changes_.begin(), changes_.end(),
                                         [&](const Change& change) { return change.before < time; });
  if (next != changes_.end()) return next->value;
  const double since = changes_.empty() ? readings_.front().time : changes_.back().before;
  return readings_.back().value + high_watts_ * std::max(0.0, time - since + cadence_.update);
}

double CounterCurve::peak(const TimeSpan& window) const {
  const std::size_t begin = first_from(readings_, window.begin.value);
  const std::size_t end = first_after(readings_, window.end.value);
  constexpr std::size_t kApart = 20;
  double highest = 0;
  for (std::size_t i = begin + kApart; i < end; ++i) {
    highest = std::max(highest, slope(readings_[i - kApart], readings_[i]));
  }
  return highest;
}

bool CounterCurve::is_changing_in(const TimeSpan& window) const {
  const auto is_before = [&](const Change& change) { return change.time <= window.begin.value; };
  const auto next = std::partition_point(changes_.begin(), changes_.end(), is_before);
  return next != changes_.end() && next->time <= window.end.value;
}

}  // namespace gpubench::power
