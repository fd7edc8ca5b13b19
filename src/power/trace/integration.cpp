#include "power/trace/integration.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench::power {
namespace {

/// Below this coverage there is no figure.
constexpr double kLeastCoverage = 0.95;

/// Largest unresolved part of the timed epochs; the reason for a missing figure advises `--min-time`.
constexpr double kMostUnresolved = 0.25;

/// Gaps of this many updates are bridged.
constexpr double kBridged = 3;

constexpr double kFlatParts = 10;
constexpr double kFlatSpread = 0.05;

/// Fewer changes do not tell a source that varies from a load that rarely does.
constexpr std::size_t kVarying = 8;
constexpr double kStuckPeriods = 10;
constexpr double kStuckSeconds = 2;
/// A sensor of few digits repeats itself under a steady load.
constexpr double kCoarse = 1e-3;
constexpr double kCoarseFactor = 10;
constexpr double kNeverChanged = 10;  // Seconds.

/// Returns the repetitions of a value shown for longer than `longest`; 0 if none. 0 W is idle.
std::size_t repeats_in(std::span<const Point> readings, double longest) {
  for (auto first = readings.begin(); first != readings.end();) {
    const auto differs = [&](const Point& point) { return point.value != first->value; };
    const auto next = std::find_if(first, readings.end(), differs);
    if (first->value > 0 && std::prev(next)->time - first->time > longest)
      return static_cast<std::size_t>(next - first);
    first = next;
  }
  return 0;
}

bool is_nothing(std::span<const TimeSpan> windows) { return windows.empty() || !(total(windows) > 0); }

/// Returns the part of a window that is further than `reach` from every reading.
double unseen(const Series& readings, const TimeSpan& window, double reach) {
  double seconds = 0;
  double seen = window.begin.value;
  for (std::size_t i = first_from(readings, window.begin.value - reach); i < readings.size(); ++i) {
    const double begin = std::min(readings[i].time - reach, window.end.value);
    seconds += std::max(0.0, begin - seen);
    seen = std::max(seen, readings[i].time + reach);
    if (seen >= window.end.value) return seconds;
  }
  return seconds + std::max(0.0, window.end.value - seen);
}

struct JoinedWindows {
  std::vector<TimeSpan> spans;
  double pauses = 0;  ///< Seconds of the spans that are between windows.
};

/// Joins neighbours less than one period apart, or less than a hundredth of the shorter one.
JoinedWindows joined(std::span<const TimeSpan> windows, double period) {
  JoinedWindows all;
  double last_length = 0;
  for (const TimeSpan& window : windows) {
    const double length = compute_length(window).value;
    const double shorter = std::min(std::exchange(last_length, length), length);
    const double gap = all.spans.empty() ? 0 : (window.begin - all.spans.back().end).value;
    if (all.spans.empty() || gap >= std::max(period, shorter / 100)) {
      all.spans.push_back(window);
    } else {
      all.spans.back().end = window.end;
      all.pauses += std::max(0.0, gap);
    }
  }
  return all;
}

}  // namespace

Evaluation::Evaluation(const PowerTrace& trace, bool uses_counter)
    : trace_(trace),
      has_counter_(uses_counter && std::ranges::any_of(trace.samples,
                                                       [](const PowerSample& sample) {
                                                         return sample.reading.energy.has_value();
                                                       })),
      power_(make_series(trace, &PowerReading::power)),
      readings_(has_counter_ ? make_series(trace, &PowerReading::energy) : power_),
      cadence_(compute_cadence(readings_)),
      // A log that never changes has no steps to see.
      resolution_(cadence_.changes == 0 && trace.facts.is_replayed ? 0 : compute_resolution(readings_)),
      counter_(has_counter_ ? readings_ : Series{}, cadence_),
      curve_(has_counter_ ? Series{} : readings_, cadence_, trace.facts.averaging.value) {}

EnergyRecord Evaluation::compute_energy(std::span<const TimeSpan> windows) const {
  EnergyRecord result;
  result.method = has_counter_ ? EnergyMethod::kCounterDifference : EnergyMethod::kTrapezoid;
  result.source_period = source_period();
  if (!is_nothing(windows)) result.coverage = coverage(windows);
  double highest = 0;
  for (const TimeSpan& window : windows) {
    result.samples += static_cast<std::int64_t>(within(readings_, window).size());
    if (power_.empty()) highest = std::max(highest, counter_.peak(window));
    for (const Point& point : within(power_, window)) highest = std::max(highest, point.value);
  }
  result.peak = missing("too few readings within the timed epochs");
  if (highest > 0) result.peak = Watts{highest};
  result.energy = evaluate(windows);
  return result;
}

EnergyRecord Evaluation::compute_spike_energy(const PowerTrace& trace, std::span<const TimeSpan> windows) {
  const Evaluation power(trace, /*uses_counter=*/false);
  EnergyRecord result = power.compute_energy(windows);
  result.method = EnergyMethod::kSpikeQ30;
  if (!result.coverage.has_value() || result.coverage.value() < kLeastCoverage) return result;
  if (power.stuck_repeats(windows) > 0) return result;
  constexpr double kQuantile = 0.30;  // Of the published method; see docs/energy.md for its bias.
  const TimeSpan zone{windows.front().begin, windows.back().end};
  std::vector<double> values = mapped(within(power.readings_, zone), &Point::value);
  if (values.empty()) return result;
  const double least = compute_quantile(values, kQuantile);
  std::erase_if(values, [&](double value) { return value < least; });
  result.energy = Joules{summarize(values).mean * total(windows)};
  return result;
}

Measured<Joules> Evaluation::evaluate(std::span<const TimeSpan> windows) const {
  if (is_nothing(windows)) return missing("no epoch after the warm-up");
  if (readings_.empty()) return missing(refusal_in(windows));
  if (const double part = coverage(windows); part < kLeastCoverage) {
    return missing("the source answered for {:.0f} % of the timed epochs: {}; {}", std::floor(100 * part),
                   refusal_in(windows), coverage_advice(windows));
  }
  if (const std::size_t repeats = stuck_repeats(windows); repeats > 0) {
    return missing("showed the same value {} times: stuck", repeats);
  }
  const std::vector<TimeSpan> spans = joined(windows, cadence_.update).spans;
  const bool is_seen = std::ranges::any_of(spans, [&](const TimeSpan& span) {
    return has_counter_ ? counter_.is_changing_in(span) : !within(readings_, span).empty();
  });
  const double joules = joules_in(windows);
  if (!is_seen || !(joules > 0)) return missing(too_short(windows));
  const std::string coarse = too_coarse(joules, windows);
  if (!coarse.empty()) return missing(coarse);
  return Joules{joules};
}

/// Returns why the source is too coarse; empty if it is fine enough.
std::string Evaluation::too_coarse(double joules, std::span<const TimeSpan> windows) const {
  const JoinedWindows seen = joined(windows, cadence_.update);
  const double seconds = total(windows);
  const double most = kMostUnresolved * seconds;
  if (seen.pauses > most / 2) {
    const double whole = (windows.back().end - windows.front().begin).value;
    return fmt::format(
        "the epochs are short beside the pauses between them, which take {:.0f} % of the time, and the "
        "source "
        "sees both; more samples an epoch (--max-samples) would do",
        100 * (1 - seconds / whole));
  }
  if (seen.pauses + edge() * static_cast<double>(seen.spans.size()) > most) return too_short(windows);
  if (has_counter_ || resolution_ * seconds <= kMostUnresolved * joules) return "";
  return fmt::format("the source shows steps of {:g} W, and the mean is {:.1f} W", resolution_,
                     joules / seconds);
}

/// Returns the seconds by which the source cannot tell where a window begins and ends.
double Evaluation::edge() const {
  if (has_counter_) return cadence_.update + 2 * cadence_.poll;
  return cadence_.update + trace_.facts.averaging.value / 2;
}

/// Prefers a reason within the windows.
std::string Evaluation::refusal_in(std::span<const TimeSpan> windows) const {
  if (trace_.samples.empty()) return "it was not read";
  std::string last;
  std::string inside;
  for (const PowerSample& sample : trace_.samples) {
    const PowerReading& reading = sample.reading;
    const std::string& reason = has_counter_ ? reading.energy.reason() : reading.power.reason();
    if (reason.empty()) continue;
    last = reason;
    const bool is_inside =
        !windows.empty() && sample.time >= windows.front().begin && sample.time <= windows.back().end;
    if (is_inside) inside = reason;
  }
  if (!inside.empty()) return inside;
  return last.empty() ? "it was not read in the others" : last;
}

/// Describes the required coverage and the remedy.
std::string Evaluation::coverage_advice(std::span<const TimeSpan> windows) const {
  const double late = readings_.front().time - windows.front().begin.value;
  const double early = windows.back().end.value - readings_.back().time;
  const double reach = kBridged / 2 * cadence_.update;
  std::string lost;
  if (late > reach) lost = fmt::format("it begins {:.1f} s after the first timed epoch", late);
  if (early > reach) {
    lost += fmt::format("{}it ends {:.1f} s before the last one does", lost.empty() ? "" : " and ", early);
  }
  const int needed = static_cast<int>(100 * kLeastCoverage);
  if (!lost.empty())
    return fmt::format("{} % are needed, and {}: record from before the run to after it", needed, lost);
  return fmt::format("{} % are needed: record without gaps (the longest is {:.1f} s), or train more epochs",
                     needed, longest_gap(windows).value);
}

/// Returns how often a stuck source showed its last value; 0 for one that is not stuck.
std::size_t Evaluation::stuck_repeats(std::span<const TimeSpan> windows) const {
  const double seconds = readings_.back().time - readings_.front().time;
  const bool is_live = !trace_.facts.is_replayed;
  if (cadence_.changes == 0 && is_live && seconds >= kNeverChanged) return readings_.size();
  if (cadence_.changes < kVarying) return 0;
  const double factor = resolution_ > kCoarse * readings_.back().value ? kCoarseFactor : 1;
  const double longest = factor * std::max(kStuckSeconds, kStuckPeriods * cadence_.period);
  for (const TimeSpan& window : windows) {
    const std::size_t repeats = repeats_in(within(readings_, window), longest);
    if (repeats > 0) return repeats;
  }
  return 0;
}

double Evaluation::joules_in(std::span<const TimeSpan> windows) const {
  const auto joules_at = [&](Seconds time) {
    return has_counter_ ? counter_.at(time.value) : curve_.at(time.value);
  };
  double joules = 0;
  for (const TimeSpan& window : windows) joules += joules_at(window.end) - joules_at(window.begin);
  return joules;
}

double Evaluation::coverage(std::span<const TimeSpan> windows) const {
  double missing = 0;
  for (const TimeSpan& window : windows) {
    missing += unseen(readings_, window, kBridged / 2 * cadence_.update);
    for (const auto& [span, joules] : counter_.bridges()) {
      missing += std::max(0.0, (std::min(span.end, window.end) - std::max(span.begin, window.begin)).value);
    }
  }
  return std::max(0.0, 1 - missing / total(windows));
}

Seconds Evaluation::longest_gap(std::span<const TimeSpan> windows) const {
  double longest = 0;
  for (const TimeSpan& window : windows) {
    const std::size_t last = std::min(first_after(readings_, window.end.value) + 1, readings_.size());
    std::size_t i = std::max<std::size_t>(first_from(readings_, window.begin.value), 1);
    for (; i < last; ++i) longest = std::max(longest, readings_[i].time - readings_[i - 1].time);
  }
  return {longest > kBridged * cadence_.update ? longest : 0};
}

Measured<Watts> Evaluation::mean_power(TimeSpan span) const {
  const std::span<const TimeSpan> windows(&span, 1);
  if (is_nothing(windows)) return missing("it was not measured");
  if (readings_.empty()) return missing(refusal_in(windows));
  if (coverage(windows) < 0.5) return missing("the source hardly answered: {}", refusal_in(windows));
  if (has_counter_ && cadence_.changes == 0) return missing("the counter did not change");
  return Watts{joules_in(windows) / total(windows)};
}

std::vector<Measured<Watts>> Evaluation::mean_powers(TimeSpan span, double most) const {
  const double seconds = compute_length(span).value;
  const double parts = std::floor(std::clamp(seconds / std::max(cadence_.update, 1e-3), 1.0, most));
  std::vector<Measured<Watts>> means;
  for (double i = 0; i < parts; ++i) {
    const double begin = span.begin.value + i * seconds / parts;
    means.push_back(mean_power({{begin}, {begin + seconds / parts}}));
  }
  return means;
}

bool Evaluation::is_flat(TimeSpan span) const {
  std::vector<double> watts;
  for (const Measured<Watts>& mean : mean_powers(span, kFlatParts)) {
    if (mean.has_value()) watts.push_back(mean.value().value);
  }
  if (watts.empty()) return true;
  const auto [least, most] = std::ranges::minmax(watts);
  return most - least <= kFlatSpread * compute_median(watts) || !has_order(watts);
}

Measured<Seconds> Evaluation::source_period() const {
  if (cadence_.period > 0) return Seconds{cadence_.period};
  if (readings_.empty()) return missing(refusal_in({}));
  return missing("it changed {} times only", cadence_.changes);
}

Measured<Seconds> Evaluation::least_window() const {
  constexpr double kAim = 0.05;
  if (readings_.size() < 2) return missing("too few readings to tell");
  const TimeSpan all{{readings_.front().time}, {readings_.back().time}};
  if (!(joules_in({&all, 1}) > 0)) return missing("it shows no power");
  return Seconds{edge() / kAim};
}

std::string Evaluation::too_short(std::span<const TimeSpan> windows) const {
  const double length = total(windows);
  if (readings_.size() < 2) return "the source was read once";
  const Measured<Seconds> needed = least_window();
  const bool is_long = !needed.has_value() || needed.value().value <= length;
  if (is_long && !(joules_in(windows) > 0)) return "the source showed no power";
  const double wanted = std::max(needed.has_value() ? needed.value().value : 0, 2 * length);
  return fmt::format(
      "the timed epochs last {0:.2f} s and the source {1} every {2:.2f} s; a window of {3:.0f} s would do: "
      "--min-time {3:.0f}s",
      length, cadence_.is_stepwise ? "changes" : "was read", cadence_.update, std::ceil(wanted - 1e-9));
}

}  // namespace gpubench::power
