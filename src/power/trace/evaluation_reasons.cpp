// What an evaluation says of its source, and why it has no figure.

#include <algorithm>
#include <cmath>

#include "gpubench/core/stats/student.h"
#include "power/trace/evaluation.h"
#include "power/trace/refusal.h"

namespace gpubench::power {

Reading<Seconds> Evaluation::source_period() const {
  if (cadence_.period > 0) return Seconds{cadence_.period};
  if (readings_.empty()) return absent(refusal_in(trace_, {}));
  return absent("it changed " + std::to_string(cadence_.changes) + " times only");
}

Reading<Seconds> Evaluation::least_window() const {
  if (readings_.size() < 2) return absent("too few readings to tell");
  constexpr double kAim = 0.05;
  if (has_counter_) return Seconds{(cadence_.update + 2 * cadence_.poll) / kAim};
  const TimeSpan all{{readings_.front().time}, {readings_.back().time}};
  const double watts = joules_in({&all, 1}) / length_of(all).value;
  if (!(watts > 0)) return absent("it shows no power");
  const double averaging = trace_.facts.averaging.value;
  const double unseen_part = std::max(1.0 / 16, 1 - averaging / cadence_.update);
  // a / sqrt(T) of the scatter and b / T of a step at each end make up the half-width.
  const double a =
      kNormalScore * curve_.sampling_error(all).deviation / watts * std::sqrt(cadence_.update * unseen_part);
  const double b = averaging / 2 + cadence_.update + cadence_.poll;
  const double root = (a + std::sqrt(a * a + 4 * b * kAim)) / (2 * kAim);
  return Seconds{root * root};
}

std::string Evaluation::reason_of(Fault fault, std::span<const TimeSpan> windows) const {
  switch (fault) {
    case Fault::kNone:
      return "";
    case Fault::kNoWindow:
      return "no epoch after the warm-up";
    case Fault::kNoReading:
      return refusal_in(trace_, windows);
    case Fault::kGaps:
      return "the source answered for " + fixed(100 * coverage(windows), 0) +
             " % of the timed epochs: " + refusal_in(trace_, windows);
    case Fault::kStuck:
      return "showed the same value " + std::to_string(longest_repeat(windows)) + " times: stuck";
    case Fault::kPauses:
      return pauses_between(windows);
    case Fault::kTooShort:
      break;
  }
  return too_short(windows);
}

std::string Evaluation::pauses_between(std::span<const TimeSpan> windows) const {
  const double whole = (windows.back().end - windows.front().begin).value;
  return "the epochs are short beside the pauses between them, which take " +
         fixed(100 * (1 - total(windows) / whole), 0) +
         " % of the time, and the source sees both; more samples an epoch (--limit) would do";
}

std::string Evaluation::too_short(std::span<const TimeSpan> windows) const {
  const double length = total(windows);
  if (readings_.size() < 2) return "the source was read once";
  const Reading<Seconds> needed = least_window();
  const bool is_long = !needed.has_value() || needed.value().value <= length;
  if (is_long && !(joules_in(windows) > 0)) return "the source showed no power";
  const double wanted = std::max(needed.has_value() ? needed.value().value : 0, 2 * length);
  const std::string seconds = fixed(std::ceil(wanted - 1e-9), 0);
  const std::string changes = cadence_.is_stepwise ? "changes" : "was read";
  return "the timed epochs last " + fixed(length, 2) + " s and the source " + changes + " every " +
         fixed(cadence_.update, 2) + " s; a window of " + seconds + " s would do: --energy-window " +
         seconds + "s";
}

}  // namespace gpubench::power
