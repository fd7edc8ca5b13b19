#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "engine/selftest/checks/entries.h"
#include "engine/timing/timing.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

constexpr std::int64_t kUnits = 4;
constexpr int kTries = 9;
constexpr double kTolerance = 0.15;

double least_seconds(Subject& subject, const KnownWork& work, std::int64_t units, double former) {
  TimedWindow window(subject.device, subject.clock);
  work.queue(units);
  return std::min(former, window.close().value);
}

/// In turns, so that a machine that slows down does so for both; the least of each is what nothing disturbed.
CheckRows run(Subject& subject) {
  const KnownWork work = subject.make_work();
  double once = std::numeric_limits<double>::infinity();
  double twice = once;
  for (int i = 0; i < kTries; ++i) {
    once = least_seconds(subject, work, kUnits, once);
    twice = least_seconds(subject, work, 2 * kUnits, twice);
  }
  return {compared("", relative_difference(twice, 2 * once), kTolerance,
                   fmt::format("{} for some work, {} for twice as much", prefixed_text(once, "s"),
                               prefixed_text(twice, "s")))};
}

}  // namespace

CheckEntry check_window() { return {"window", "twice the work takes twice the time", run}; }

}  // namespace gpubench
