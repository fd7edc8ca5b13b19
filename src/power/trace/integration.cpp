#include "power/trace/integration.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench::power {
namespace {

constexpr double kLeastCoverage = 0.95;   // Least coverage of the timed epochs by readings.
constexpr double kMostUnresolved = 0.25;  // Largest unresolved part of the timed epochs.
constexpr double kBridged = 3;            // Longest gap that is bridged, in update periods.
constexpr double kPeakUpdates = 20;       // Updates over which a counter's peak power is averaged.

constexpr double kFlatParts = 10;
constexpr double kFlatSpread = 0.05;

/// Fewest changes that distinguish a varying source from a load that rarely varies.
constexpr std::size_t kVarying = 8;
constexpr double kStuckPeriods = 10;
constexpr double kStuckSeconds = 2;
/// A sensor with few digits repeats values under a steady load.
constexpr double kCoarse = 1e-3;
constexpr double kCoarseFactor = 10;
constexpr double kNeverChanged = 10;  // Seconds.

/// Returns the number of readings of a value shown for longer than `longest`, or 0. Ignores 0 W (idle).
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

std::size_t first_from(const Series& series, double begin) {
  return static_cast<std::size_t>(std::ranges::lower_bound(series, begin, {}, &Point::time) - series.begin());
}

/// Returns the largest of 10, 1, 0.1, ... 0.001 of which all values are multiples; 0 if they are finer.
double compute_resolution(const Series& series) {
  for (const double unit : {10.0, 1.0, 0.1, 0.01, 0.001}) {
    const auto is_multiple = [unit](double value) {
      return std::abs(std::remainder(value, unit)) < 1e-3 * unit;
    };
    if (std::ranges::all_of(series, is_multiple, &Point::value)) return unit;
  }
  return 0;
}

/// Returns the seconds of a window that are further than `reach` from every reading.
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
  double pauses = 0;  ///< Seconds between windows that the spans include.
};

/// Joins neighbours less than one period apart, or less than a hundredth of the shorter window.
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

std::vector<double> times_between(const Series& series) {
  std::vector<double> all;
  for (std::size_t i = 1; i < series.size(); ++i) all.push_back(series[i].time - series[i - 1].time);
  return all;
}

/// Returns the readings at which the source was updated. Updates of a stepwise source lie halfway between two
/// readings. Equal power after more than an update period is an update, too.
Series find_updates(const Series& readings, const Cadence& cadence, bool is_counter) {
  Series updates{readings.front()};
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const Point& before = readings[i - 1];
    const Point& point = readings[i];
    const bool is_due = !cadence.is_stepwise || point.time - updates.back().time > 1.5 * cadence.update;
    if (point.value == before.value && (is_counter || !is_due)) continue;
    const double moment = cadence.is_stepwise ? (before.time + point.time) / 2 : point.time;
    updates.push_back({moment, point.value});
  }
  const double tail = readings.back().time - updates.back().time;
  if (tail > (is_counter ? 1.5 * cadence.update : 0)) updates.push_back(readings.back());
  return updates;
}

}  // namespace

std::span<const Point> within(const Series& series, const TimeSpan& window) {
  const auto begin = std::ranges::lower_bound(series, window.begin.value, {}, &Point::time);
  const auto end = std::ranges::upper_bound(begin, series.end(), window.end.value, {}, &Point::time);
  return {begin, end};
}

Cadence compute_cadence(const Series& series) {
  constexpr std::size_t kLeastChanges = 5;
  Cadence cadence;
  if (series.size() < 2) return cadence;
  Series changes;
  for (std::size_t i = 1; i < series.size(); ++i) {
    if (series[i].value != series[i - 1].value) changes.push_back(series[i]);
  }
  cadence.poll = cadence.update = compute_median(times_between(series));
  cadence.changes = changes.size();
  if (changes.size() < 2) return cadence;
  const std::vector<double> between = times_between(changes);
  if (changes.size() >= kLeastChanges) cadence.period = compute_median(between);
  // Equal values in a row hide changes and make times too long, so shorter times are more accurate.
  const double update = compute_quantile(between, 0.25);
  cadence.is_stepwise = update > 1.5 * cadence.poll;
  if (cadence.is_stepwise) cadence.update = update;
  return cadence;
}

double total(std::span<const TimeSpan> windows) {
  double sum = 0;
  for (const TimeSpan& window : windows) sum += compute_length(window).value;
  return sum;
}

EnergyCurve::EnergyCurve(Series readings, const Cadence& cadence, bool is_counter, double averaging) {
  if (readings.empty()) return;
  if (is_counter) bridge_resets(readings);
  const Series points = find_updates(readings, cadence, is_counter);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [time, value] = points[i];
    const double begin = time - averaging / 2;
    const double seconds = i + 1 < points.size() ? points[i + 1].time - time : 0;
    const double rise = seconds > 0 ? (points[i + 1].value - value) / seconds : 0;
    if (!is_counter) {
      segments_.push_back({begin, segments_.empty() ? 0 : at(begin), value, rise});
    } else if (i == 0 || seconds > 0) {
      segments_.push_back({begin, value, rise, 0});
    }
  }
}

// The energy during a reset is unknown; assumes the mean power of the rest.
void EnergyCurve::bridge_resets(Series& readings) {
  double joules = 0;
  double seconds = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (readings[i].value < readings[i - 1].value) continue;
    joules += readings[i].value - readings[i - 1].value;
    seconds += readings[i].time - readings[i - 1].time;
  }
  const double usual_watts = seconds > 0 ? joules / seconds : 0;
  double offset = 0;
  double last = readings.front().value;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const double shown = readings[i].value;
    if (shown < last) {
      resets_.push_back({{readings[i - 1].time}, {readings[i].time}});
      offset += last - shown + usual_watts * compute_length(resets_.back()).value;
    }
    last = shown;
    readings[i].value = shown + offset;
  }
}

double EnergyCurve::at(double time) const {
  const auto next = std::ranges::upper_bound(segments_, time, {}, &Segment::begin);
  const Segment& segment = next == segments_.begin() ? *next : *std::prev(next);
  const double seconds = time - segment.begin;
  return segment.joules + seconds * (segment.watts + std::max(seconds, 0.0) * segment.rise / 2);
}

Evaluation::Evaluation(const PowerTrace& trace, bool uses_counter)
    : trace_(trace),
      has_counter_(uses_counter && std::ranges::any_of(trace.samples,
                                                       [](const PowerSample& sample) {
                                                         return sample.reading.energy.has_value();
                                                       })),
      power_(make_series(trace, &PowerReading::power)),
      readings_(has_counter_ ? make_series(trace, &PowerReading::energy) : power_),
      cadence_(compute_cadence(readings_)),
      // A log that never changes shows no steps.
      resolution_(cadence_.changes == 0 && trace.facts.is_replayed ? 0 : compute_resolution(readings_)),
      curve_(readings_, cadence_, has_counter_, has_counter_ ? 0 : trace.facts.averaging.value) {}

EnergyRecord Evaluation::compute_energy(std::span<const TimeSpan> windows) const {
  EnergyRecord result;
  result.method = has_counter_ ? EnergyMethod::kCounterDifference : EnergyMethod::kTrapezoid;
  result.source_period = source_period();
  if (total(windows) > 0) result.coverage = coverage(windows);
  double highest = 0;
  for (const TimeSpan& window : windows) {
    result.samples += static_cast<std::int64_t>(within(readings_, window).size());
    for (const Point& point : within(power_, window)) highest = std::max(highest, point.value);
    if (!power_.empty() || !(cadence_.update > 0)) continue;
    const double parts = compute_length(window).value / (kPeakUpdates * cadence_.update);
    for (const Measured<Watts>& mean : mean_powers(window, std::max(1.0, parts)))
      highest = std::max(highest, mean.value_or({0}).value);
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
  if (result.coverage.value_or(0) < kLeastCoverage || power.stuck_repeats(windows) > 0) return result;
  constexpr double kQuantile = 0.30;  // As published; see docs/energy.md for its bias.
  const TimeSpan zone{windows.front().begin, windows.back().end};
  std::vector<double> values = mapped(within(power.readings_, zone), &Point::value);
  if (values.empty()) return result;
  const double least = compute_quantile(values, kQuantile);
  std::erase_if(values, [&](double value) { return value < least; });
  result.energy = Joules{summarize(values).mean * total(windows)};
  return result;
}

Measured<Joules> Evaluation::evaluate(std::span<const TimeSpan> windows) const {
  if (!(total(windows) > 0)) return missing("no epoch after the warm-up");
  if (readings_.empty()) return missing(why_silent());
  if (const double part = coverage(windows); part < kLeastCoverage) {
    return missing(
        "the readings cover {:.0f} % of the timed epochs ({}), {:.0f} % are needed; record without gaps from "
        "before the run until after it",
        std::floor(100 * part), why_silent(), 100 * kLeastCoverage);
  }
  if (const std::size_t repeats = stuck_repeats(windows); repeats > 0) {
    return missing("the source is stuck: {} equal readings in a row", repeats);
  }
  const double joules = joules_in(windows);
  if (!(joules > 0)) return missing(too_short(windows));
  const std::string coarse = too_coarse(joules, windows);
  if (!coarse.empty()) return missing(coarse);
  return Joules{joules};
}

std::string Evaluation::too_coarse(double joules, std::span<const TimeSpan> windows) const {
  const JoinedWindows seen = joined(windows, cadence_.update);
  const double seconds = total(windows);
  const double most = kMostUnresolved * seconds;
  if (seen.pauses > most / 2) {
    const double whole = (windows.back().end - windows.front().begin).value;
    return fmt::format(
        "pauses between the epochs take {:.0f} % of the time, and the source cannot separate them; use "
        "longer epochs (--max-samples)",
        100 * (1 - seconds / whole));
  }
  if (seen.pauses + edge() * static_cast<double>(seen.spans.size()) > most) return too_short(windows);
  if (has_counter_ || resolution_ * seconds <= kMostUnresolved * joules) return "";
  return fmt::format("the source's steps of {:g} W are too coarse for a mean of {:.1f} W", resolution_,
                     joules / seconds);
}

/// Returns the uncertainty of a window's begin and end, in seconds.
double Evaluation::edge() const {
  if (has_counter_) return cadence_.update + 2 * cadence_.poll;
  return cadence_.update + trace_.facts.averaging.value / 2;
}

std::string Evaluation::why_silent() const {
  const auto reason = [this](const PowerSample& sample) {
    return has_counter_ ? sample.reading.energy.reason() : sample.reading.power.reason();
  };
  const auto last = std::find_if(trace_.samples.rbegin(), trace_.samples.rend(),
                                 [&](const PowerSample& sample) { return !reason(sample).empty(); });
  return last == trace_.samples.rend() ? "no reading" : reason(*last);
}

/// Returns the number of equal readings in a row of a stuck source; 0 if it is not stuck.
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
  double joules = 0;
  for (const TimeSpan& window : windows) {
    joules += curve_.at(window.end.value) - curve_.at(window.begin.value);
  }
  return joules;
}

double Evaluation::coverage(std::span<const TimeSpan> windows) const {
  double missing = 0;
  for (const TimeSpan& window : windows) {
    missing += unseen(readings_, window, kBridged / 2 * cadence_.update);
    for (const auto& [begin, end] : curve_.resets()) {
      missing += std::max(0.0, (std::min(end, window.end) - std::max(begin, window.begin)).value);
    }
  }
  return std::max(0.0, 1 - missing / total(windows));
}

Seconds Evaluation::longest_gap(std::span<const TimeSpan> windows) const {
  double longest = 0;
  for (const TimeSpan& window : windows) {
    std::size_t i = std::max<std::size_t>(first_from(readings_, window.begin.value), 1);
    for (; i < readings_.size() && readings_[i - 1].time <= window.end.value; ++i)
      longest = std::max(longest, readings_[i].time - readings_[i - 1].time);
  }
  return {longest > kBridged * cadence_.update ? longest : 0};
}

Measured<Watts> Evaluation::mean_power(TimeSpan span) const {
  const std::span<const TimeSpan> windows(&span, 1);
  if (!(total(windows) > 0)) return missing("not measured");
  if (readings_.empty()) return missing(why_silent());
  if (coverage(windows) < 0.5) return missing("too few readings: {}", why_silent());
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
  return most - least <= kFlatSpread * compute_median(watts) || !is_autocorrelated(watts);
}

Measured<Seconds> Evaluation::source_period() const {
  if (cadence_.period > 0) return Seconds{cadence_.period};
  if (readings_.empty()) return missing(why_silent());
  return missing("too few changes ({})", cadence_.changes);
}

Measured<Seconds> Evaluation::least_window() const {
  constexpr double kAim = 0.05;
  if (readings_.size() < 2) return missing("too few readings");
  const TimeSpan all{{readings_.front().time}, {readings_.back().time}};
  if (!(joules_in({&all, 1}) > 0)) return missing("the source reported 0 W");
  return Seconds{edge() / kAim};
}

std::string Evaluation::too_short(std::span<const TimeSpan> windows) const {
  const double length = total(windows);
  if (readings_.size() < 2) return "only one reading of the source";
  const double needed = least_window().value_or({0}).value;
  if (needed <= length && !(joules_in(windows) > 0)) return "the source reported 0 W";
  const double wanted = std::max(needed, 2 * length);
  return fmt::format(
      "the timed epochs last only {0:.2f} s, and the source {1} every {2:.2f} s; use --min-time {3:.0f}s",
      length, cadence_.is_stepwise ? "changes" : "was read", cadence_.update, std::ceil(wanted - 1e-9));
}

}  // namespace gpubench::power
