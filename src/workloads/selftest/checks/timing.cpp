#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "engine/timing/timing.h"
#include "gpubench/core/text/figures.h"
#include "workloads/selftest/check.h"

namespace gpubench::timing_plugin {
namespace {

constexpr int kReadings = 20'000;
/// A thousandth of the shortest meaningful epoch.
constexpr Seconds kCoarsest{1e-5};
constexpr Seconds kStretch{0.5};
/// Clocks are slewed by at most 0.05 %; the rest allows for preemption between two readings.
constexpr double kRateTolerance = 2e-3;

CheckRow resolution(const Clock& clock) {
  double least = std::numeric_limits<double>::infinity();
  double back = 0;
  Seconds last = clock.now();
  for (int i = 0; i < kReadings; ++i) {
    const Seconds now = clock.now();
    const double step = (now - last).value;
    if (step > 0) least = std::min(least, step);
    back = std::min(back, step);
    last = now;
  }
  if (back < 0) return failed("resolution", "time went back by " + prefixed_text(-back, "s"));
  return compared("resolution", least, kCoarsest.value, "smallest step " + prefixed_text(least, "s"));
}

CheckRow rate(const Subject& subject) {
  const Clock& other = subject.means.other_clock;
  const Seconds start = subject.clock.now();
  const Seconds other_start = other.now();
  std::this_thread::sleep_for(std::chrono::duration<double>(kStretch.value));
  const Seconds passed = subject.clock.now() - start;
  const Seconds other_passed = other.now() - other_start;
  return compared(
      "rate", relative_difference(passed.value, other_passed.value), kRateTolerance,
      fmt::format("{:.6f} s, and {:.6f} s by the system clock", passed.value, other_passed.value));
}

CheckRows check_clock(Subject& subject) { return {resolution(subject.clock), rate(subject)}; }

constexpr std::int64_t kUnits = 4;
constexpr int kTries = 9;
/// Largest fraction of the work that may be unfinished at the end of a window.
constexpr double kLeft = 0.1;
constexpr double kEventTolerance = 0.1;
constexpr double kTwiceTolerance = 0.15;

/// Measures how much work is unfinished at the end of a timed window, by reading a result afterwards.
CheckRow nothing_left(Subject& subject, const KnownWork& work) {
  double left = 1;
  Seconds window;
  for (int i = 0; i < kTries; ++i) {
    window = time_work(subject.device, subject.clock, [&] { work.queue(kUnits); });
    const Seconds start = subject.clock.now();
    work.read_back();
    const double rest = (subject.clock.now() - start).value;
    left = std::min(left, rest / (window.value + rest));
  }
  return compared("results", left, kLeft,
                  fmt::format("a result was available {} after a timed window of {}", percent_text(left),
                              prefixed_text(window.value, "s")));
}

CheckRow events(Subject& subject, const KnownWork& work) {
  if (!subject.device.has_own_clock()) return unchecked("events", "this kind of device has no events");
  const auto marks = subject.device.make_marks(subject.clock, 2);
  double least = 1;
  double window_seconds = 0;
  double event_seconds = 0;
  for (int i = 0; i < kTries; ++i) {
    const auto queue = [&] {
      marks->mark(0);
      work.queue(kUnits);
      marks->mark(1);
    };
    window_seconds = time_work(subject.device, subject.clock, queue).value;
    event_seconds = marks->between(0, 1).value_or({}).value;
    least = std::min(least, relative_difference(window_seconds, event_seconds));
  }
  return compared("events", least, kEventTolerance,
                  fmt::format("timed window {}, and {} by device events", prefixed_text(window_seconds, "s"),
                              prefixed_text(event_seconds, "s")));
}

/// Interleaves single and double work, so that a slowdown affects both, and compares the minima.
CheckRow twice(Subject& subject, const KnownWork& work) {
  double once = std::numeric_limits<double>::infinity();
  double twice = once;
  const auto time = [&](std::int64_t units) {
    return time_work(subject.device, subject.clock, [&] { work.queue(units); }).value;
  };
  for (int i = 0; i < kTries; ++i) {
    once = std::min(once, time(kUnits));
    twice = std::min(twice, time(2 * kUnits));
  }
  return compared("double work", relative_difference(twice, 2 * once), kTwiceTolerance,
                  fmt::format("{} for single work, {} for double work", prefixed_text(once, "s"),
                              prefixed_text(twice, "s")));
}

CheckRows check_synchronization(Subject& subject) {
  const KnownWork work = subject.make_work();
  work.queue(1);
  work.read_back();
  return {nothing_left(subject, work), events(subject, work), twice(subject, work)};
}

}  // namespace

CheckEntry entry_clock() {
  return {{"clock", "the clock has a fine resolution, never goes back and agrees with the system clock"},
          check_clock};
}

CheckEntry entry_synchronization() {
  return {{"synchronization", "a timed window covers all work of the device"}, check_synchronization};
}

}  // namespace gpubench::timing_plugin
