#include <algorithm>

#include <fmt/format.h>

#include "engine/selftest/checks/entries.h"
#include "engine/timing/timing.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

constexpr std::int64_t kUnits = 8;
constexpr int kTries = 5;
/// What may be left after the device was waited for, as a part of the work.
constexpr double kLeft = 0.1;
constexpr double kEventTolerance = 0.1;

/// How much of the work is still to be done when a window has closed: a result cannot be read before.
CheckRow nothing_left(Subject& subject, const KnownWork& work) {
  double left = 1;
  Seconds window;
  for (int i = 0; i < kTries; ++i) {
    TimedWindow timed(subject.device, subject.clock);
    work.queue(kUnits);
    window = timed.close();
    const Seconds start = subject.clock.now();
    work.read_back();
    const double rest = (subject.clock.now() - start).value;
    left = std::min(left, rest / (window.value + rest));
  }
  return compared("results", left, kLeft,
                  fmt::format("after a window of {} a result was there after {} more",
                              prefixed_text(window.value, "s"), percent_text(left)));
}

/// The device's own clock, over the same work.
CheckRow events(Subject& subject, const KnownWork& work) {
  const auto timer = subject.device.make_timer();
  if (!timer) return unchecked("events", "this kind of device has no clock of its own");
  double least = 1;
  double window_seconds = 0;
  double event_seconds = 0;
  for (int i = 0; i < kTries; ++i) {
    TimedWindow timed(subject.device, subject.clock);
    timer->start();
    work.queue(kUnits);
    timer->stop();
    window_seconds = timed.close().value;
    event_seconds = timer->elapsed().value;
    least = std::min(least, relative_difference(window_seconds, event_seconds));
  }
  return compared("events", least, kEventTolerance,
                  fmt::format("a window of {}, {} by the device's own events",
                              prefixed_text(window_seconds, "s"), prefixed_text(event_seconds, "s")));
}

CheckRows run(Subject& subject) {
  const KnownWork work = subject.make_work();
  work.queue(1);
  work.read_back();
  return {nothing_left(subject, work), events(subject, work)};
}

}  // namespace

CheckEntry check_waiting() {
  return {"waiting", "a timed window ends when the device has done its work, by its own events too", run};
}

}  // namespace gpubench
