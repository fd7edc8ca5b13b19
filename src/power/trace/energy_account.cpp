#include "power/trace/energy_account.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/quantities.h"
#include "power/trace/integration.h"

namespace gpubench {
namespace {

using power::Evaluation;
using power::Point;
using power::Series;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string throttle_in(const PowerTrace& trace, const TimeSpan& epoch) {
  std::vector<std::string> reasons;
  auto sample = std::ranges::lower_bound(trace.samples, epoch.begin, {}, &PowerSample::time);
  for (; sample != trace.samples.end() && sample->time <= epoch.end; ++sample) {
    for (const std::string_view reason : split_fields(sample->reading.throttle, ',')) {
      if (!reason.empty()) add_once(reasons, std::string(reason));
    }
  }
  return join(reasons);
}

/// Appends the result of `summarize` for the readings in each epoch; NaN without readings.
template <class Unit, class Summarize>
void describe(std::vector<double>& figures, const PowerTrace& trace, Measured<Unit> PowerReading::*quantity,
              const std::vector<TimeSpan>& epochs, Summarize summarize) {
  const Series series = power::make_series(trace, quantity);
  for (const TimeSpan& epoch : epochs) {
    const std::vector<double> values = mapped(power::within(series, epoch), &Point::value);
    figures.push_back(values.empty() ? kNone : summarize(values));
  }
}

void describe_epochs(EnergyRecord& energy, const PowerTrace& trace, const std::vector<TimeSpan>& epochs) {
  describe(energy.temperature_celsius, trace, &PowerReading::temperature, epochs, std::ranges::max);
  describe(energy.epoch_limit_watts, trace, &PowerReading::limit, epochs, std::ranges::min);
  describe(energy.clock_hertz, trace, &PowerReading::clock, epochs,
           [](const std::vector<double>& hertz) { return summarize(hertz).mean; });
  energy.epoch_throttle = mapped(epochs, [&](const TimeSpan& epoch) { return throttle_in(trace, epoch); });
}

constexpr double kMostPoints = 240;

bool is_empty(const TimeSpan& span) { return !(compute_length(span).value > 0); }

template <class T>
double or_none(const Measured<T>& reading) {
  return reading.has_value() ? reading.value().value : kNone;
}

/// Returns the time of the case, with the idle times before and after it if these were measured.
TimeSpan shown_span(const CaseRecord& record, const EnergyTimes& times) {
  TimeSpan span{times.case_start, times.case_start};
  for (const Phase& phase : record.timeline) {
    span.end = std::max(span.end, times.case_start + phase.start + phase.duration);
  }
  if (!is_empty(times.idle_before)) span.begin = times.idle_before.begin;
  if (!is_empty(times.idle_after)) span.end = times.idle_after.end;
  return span;
}

void add_facts(EnergyRecord& energy, const PowerSourceFacts& facts) {
  energy.meter = facts.meter;
  energy.part = facts.part;
  energy.device = facts.device;
  energy.device_note = facts.why_no_device;
  energy.scope = facts.scope;
  energy.quantity = facts.power_quantity.empty() ? "power" : facts.power_quantity;
  if (energy.method == EnergyMethod::kCounterDifference) energy.quantity = "energy counter";
}

std::vector<std::string> make_notes(const Evaluation& evaluation, const PowerSourceFacts& facts,
                                    EnergyMethod method, std::span<const TimeSpan> timed) {
  std::vector<std::string> notes;
  if (facts.is_replayed) notes.push_back("replayed from a log, not measured");
  const bool never_changed = !evaluation.is_empty() && evaluation.cadence().changes == 0;
  if (facts.is_replayed && never_changed) notes.push_back("the values of the log never change");
  const Seconds gap = evaluation.longest_gap(timed);
  if (gap.value > 0) notes.push_back(fmt::format("bridged a gap of {:.1f} s", gap.value));
  if (evaluation.resets() > 0) {
    notes.push_back(fmt::format("counter resets bridged: {}", evaluation.resets()));
  }
  if (method == EnergyMethod::kSpikeQ30) {
    notes.push_back("spike-q30 ignores the lower samples: biased upward");
  }
  if (!facts.accuracy.empty()) notes.push_back(facts.accuracy);
  return notes;
}

}  // namespace

std::vector<TimeSpan> epoch_windows(const CaseRecord& record, Seconds case_start) {
  std::vector<TimeSpan> windows;
  for (const Phase& phase : record.timeline) {
    if (windows.size() == record.epoch_seconds.size()) break;
    // "epoch 3", but not "epoch count".
    if (!phase.name.starts_with("epoch ") || !parse_whole(phase.name.substr(6))) continue;
    const Seconds begin = case_start + phase.start;
    windows.push_back({begin, begin + phase.duration});
  }
  return windows;
}

EnergyRecord account_for(const PowerTrace& trace, const CaseRecord& record, const EnergyTimes& times,
                         EnergyMethod method) {
  const bool is_spike = method == EnergyMethod::kSpikeQ30;
  const Evaluation evaluation(trace);
  const std::vector<TimeSpan> epochs = epoch_windows(record, times.case_start);
  const auto warmup = static_cast<std::size_t>(std::max<std::int64_t>(0, record.warmup_epochs));
  const std::span<const TimeSpan> timed = std::span(epochs).subspan(std::min(epochs.size(), warmup));
  EnergyRecord energy =
      is_spike ? Evaluation::compute_spike_energy(trace, timed) : evaluation.compute_energy(timed);
  add_facts(energy, trace.facts);
  energy.window = {power::total(timed)};
  for (const TimeSpan& epoch : epochs) {
    // The published method computes a single power for all timed epochs.
    const bool is_warmup = energy.epoch_joules.size() < warmup;
    const double share = is_warmup ? kNone : compute_length(epoch).value / energy.window.value;
    energy.epoch_joules.push_back(is_spike ? or_none(energy.energy) * share
                                           : or_none(evaluation.compute_energy({&epoch, 1}).energy));
  }
  energy.idle_before = evaluation.mean_power(times.idle_before);
  energy.idle_after = evaluation.mean_power(times.idle_after);
  if (const TimeSpan span = shown_span(record, times); !is_empty(span) && !evaluation.is_empty()) {
    energy.watts = mapped(evaluation.mean_powers(span, kMostPoints), or_none<Watts>);
    energy.watts_start = span.begin - times.case_start;
    energy.watts_step = Seconds{compute_length(span).value / static_cast<double>(energy.watts.size())};
  }
  describe_epochs(energy, trace, epochs);
  energy.notes = make_notes(evaluation, trace.facts, energy.method, timed);
  if (!times.is_settled) energy.notes.push_back("idle power was measured before power had settled");
  return energy;
}

}  // namespace gpubench
