#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include <fmt/format.h>

#include "engine/selftest/check.h"
#include "gpubench/core/text/figures.h"

namespace gpubench::clock_plugin {
namespace {

constexpr int kReadings = 20'000;
/// A thousandth of the shortest epoch that anybody would quote.
constexpr Seconds kCoarsest{1e-5};
constexpr Seconds kStretch{0.5};
/// Clocks are slewed by 0.05 % at most; the rest is for being put to sleep between two readings.
constexpr double kTolerance = 2e-3;

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
  if (back < 0) return failed("resolution", "it went back by " + prefixed_text(-back, "s"));
  return compared("resolution", least, kCoarsest.value, "its least step is " + prefixed_text(least, "s"));
}

CheckRow rate(const Subject& subject) {
  const Clock& other = subject.means.other_clock;
  const Seconds start = subject.clock.now();
  const Seconds other_start = other.now();
  std::this_thread::sleep_for(std::chrono::duration<double>(kStretch.value));
  const Seconds passed = subject.clock.now() - start;
  const Seconds other_passed = other.now() - other_start;
  return compared(
      "rate", relative_difference(passed.value, other_passed.value), kTolerance,
      fmt::format("{:.6f} s passed, {:.6f} s by another clock", passed.value, other_passed.value));
}

CheckRows run(Subject& subject) { return {resolution(subject.clock), rate(subject)}; }

}  // namespace

CheckEntry entry_clock() {
  return {"clock", "the clock is fine enough, never goes back, and agrees with another one", run};
}

}  // namespace gpubench::clock_plugin
