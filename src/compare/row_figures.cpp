#include "compare/row_figures.h"

#include <algorithm>

#include "gpubench/core/stats/median_ratio.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {

void measure_time(std::span<const std::span<const double>> repetitions, Intervals intervals,
                  RowFigures& figures) {
  std::vector<double> pooled;
  for (const std::span<const double> times : repetitions) {
    figures.process_seconds.push_back(median_of(times));
    pooled.insert(pooled.end(), times.begin(), times.end());
  }
  const double median = median_of(figures.process_seconds);
  if (median <= 0) {
    figures.seconds = absent("it took no measurable time");
  } else if (intervals == Intervals::kLeftOut) {
    figures.seconds = Estimate{median, absent("left out of so many files")};
  } else {
    const Reading<Interval> interval = median_interval_of_independent(figures.process_seconds);
    figures.seconds = Estimate{median, interval.has_value() ? interval : median_interval(pooled)};
  }
}

Estimate ratio_of_times(const RowFigures& over, const RowFigures& under) {
  const std::size_t fewest = std::min(over.process_seconds.size(), under.process_seconds.size());
  if (fewest >= kEnoughProcesses) return ratio_of_medians(over.process_seconds, under.process_seconds);
  return ratio_of(over.seconds.value(), under.seconds.value());
}

}  // namespace gpubench
