#pragma once
// What one quantity of a source showed, without the readings that failed, and what these said.

#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "power/log/trace.h"

namespace gpubench::power {

struct Point {
  double time = 0;
  double value = 0;
};

using Series = std::vector<Point>;

/// Of one quantity: `&PowerReading::power`.
template <class Unit>
Series make_series(const PowerTrace& trace, Measured<Unit> PowerReading::*quantity) {
  Series series;
  for (const PowerSample& sample : trace.samples) {
    const Measured<Unit>& reading = sample.reading.*quantity;
    if (reading.has_value() && std::isfinite(reading.value().value)) {
      series.push_back({sample.time.value, reading.value().value});
    }
  }
  return series;
}

/// The same source as if it had no counter.
PowerTrace without_counter(PowerTrace trace);

/// Where the points from `begin` on start, and those up to `end` stop.
std::size_t first_from(const Series& series, double begin);
std::size_t first_after(const Series& series, double end);

/// The points in a window.
std::span<const Point> within(const Series& series, const TimeSpan& window);

/// How often a source was asked and how often it had something new to show, in seconds.
struct Cadence {
  double poll = 0;           ///< Median time between two answers; 0 for fewer than two.
  double period = 0;         ///< Median time between two changes; 0 where there are too few to tell.
  std::size_t changes = 0;   ///< How often what it shows changed.
  double update = 0;         ///< Between two independent figures: at least `poll`.
  bool is_stepwise = false;  ///< Asked clearly more often than it changes.
};

Cadence compute_cadence(const Series& series);

/// Figures that are new, and when the source took them over: halfway between the reading that shows one and
/// the one before. A value that stays longer than the source needs for an update counts as updated, too.
Series find_updates(const Series& readings, const Cadence& cadence);

/// The value below which `part` of `values` lie, by linear interpolation; 0 of none.
double quantile(std::vector<double> values, double part);

/// The largest of 10, 1, 0.1, ... 0.001 of which all values are multiples; 0 for finer ones.
double compute_resolution(const Series& series);

/// Total length of `windows`, in seconds.
double total(std::span<const TimeSpan> windows);

/// Windows as a source sees them.
struct JoinedWindows {
  std::vector<TimeSpan> spans;
  std::vector<TimeSpan> gaps;  ///< What of the spans is between windows.
};

/// `windows` with neighbours joined between which the source cannot tell: less than one of its periods apart,
/// or than a hundredth of the shorter one.
JoinedWindows joined(std::span<const TimeSpan> windows, double period);

/// The part of a stretch that lies within another.
double overlap(const TimeSpan& a, const TimeSpan& b);

}  // namespace gpubench::power
