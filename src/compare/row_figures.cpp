#include "compare/row_figures.h"

#include <algorithm>

#include "gpubench/core/stats/bootstrap.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

/// A repetition with the energy that stands for it.
struct Measured {
  const CaseRecord* record;
  CaseEnergy energy;
};

using Repetitions = std::vector<Measured>;

Repetitions repetitions_of(const std::vector<const CaseRecord*>& records) {
  Repetitions all;
  for (const CaseRecord* record : records) {
    const Reading<CaseEnergy> energy = case_energy(*record);
    if (!energy.has_value()) continue;
    if (all.empty() || all.front().energy.scope == energy.value().scope) {
      all.push_back({record, energy.value()});
    }
  }
  return all;
}

/// One value for those of the repetitions that have the figure; the reason of the first where none has.
template <class Repetition, class Figure>
Reading<double> over(const std::vector<Repetition>& repetitions, Figure figure,
                     double (*one_of)(std::span<const double>)) {
  std::vector<double> values;
  for (const Repetition& one : repetitions) {
    if (const Reading<double> value = figure(one); value.has_value()) values.push_back(value.value());
  }
  if (values.empty()) return absent(figure(repetitions.front()).reason());
  return one_of(values);
}

double most_of(std::span<const double> values) { return *std::max_element(values.begin(), values.end()); }
double least_of(std::span<const double> values) { return *std::min_element(values.begin(), values.end()); }

/// What net and gross differ by is idle power times the time of a mean epoch.
Reading<double> idle_watts(const Measured& one) {
  const double gross = one.energy.epoch_joules.value;
  if (!one.energy.net_joules.has_value()) return absent(one.energy.net_joules.reason());
  if (!(gross > 0)) return absent("no measurable energy");
  return one.energy.mean_watts * (gross - one.energy.net_joules.value()) / gross;
}

/// The source that the case's energy is from; the first part where there are several.
const EnergyRecord& source_of(const Measured& one) {
  const auto& sources = one.record->energy;
  const auto found = std::find_if(sources.begin(), sources.end(), [&](const EnergyRecord& source) {
    return source.scope == one.energy.scope && source.meter == one.energy.meter;
  });
  return found == sources.end() ? sources.front() : *found;
}

/// Of all processes where these are enough. Of two the one that is known less: their scatter tells nothing.
Reading<Interval> interval_of(const Repetitions& repetitions, const std::vector<double>& process_joules) {
  if (process_joules.size() >= kEnoughProcesses) return median_interval_of_independent(process_joules);
  Interval hull{process_joules.front(), process_joules.front()};
  for (const Measured& one : repetitions) {
    const Reading<Interval>& interval = one.energy.epoch_joules.interval;
    if (!interval.has_value()) return interval;
    hull.low = std::min(hull.low, interval.value().low);
    hull.high = std::max(hull.high, interval.value().high);
  }
  return hull;
}

Reading<double> peak_bytes(const CaseRecord* record) {
  const Reading<Bytes>& peak = record->device == "cpu" ? record->peak_host : record->peak_device;
  return peak.then([](Bytes bytes) { return static_cast<double>(bytes.value); });
}

EnergyFigures figures_of(const Repetitions& repetitions) {
  EnergyFigures figures;
  const CaseEnergy& first = repetitions.front().energy;
  figures.scope = to_string(first.scope);
  figures.method = to_string(first.method);
  figures.meter = first.meter;
  for (const Measured& one : repetitions) {
    const double joules = one.energy.epoch_joules.value;
    figures.process_joules.push_back(joules);
    figures.process_joule_seconds.push_back(joules * median_of(steady_epochs(*one.record)));
  }
  const auto told = [&](auto figure, auto one_of) { return over(repetitions, figure, one_of); };
  figures.net_joules = told([](const Measured& one) { return one.energy.net_joules; }, median_of);
  figures.mean_watts = told([](const Measured& one) { return Reading(one.energy.mean_watts); }, median_of);
  figures.joules_per_1000_samples =
      told([](const Measured& one) { return joules_per_1000_samples(*one.record); }, median_of);
  figures.peak_watts = told([](const Measured& one) { return one.energy.peak_watts; }, most_of);
  figures.idle_watts = told(idle_watts, median_of);
  figures.coverage = told([](const Measured& one) { return source_of(one).coverage; }, least_of);
  figures.period_seconds =
      told([](const Measured& one) { return source_of(one).source_period.then(&Seconds::value); }, most_of);
  return figures;
}

}  // namespace

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

Reading<double> startup_seconds(const CaseRecord& record) { return startup(record).then(&Seconds::value); }

void measure_cases(const std::vector<const CaseRecord*>& records, Intervals intervals, RowFigures& figures) {
  std::vector<std::span<const double>> repetitions;
  for (const CaseRecord* record : records) {
    if (!steady_epochs(*record).empty()) repetitions.push_back(steady_epochs(*record));
  }
  figures.seconds = absent("no epoch after the warm-up");
  if (!repetitions.empty()) measure_time(repetitions, intervals, figures);
  const auto startup_of = [](const CaseRecord* record) { return startup_seconds(*record); };
  const auto accuracy_of = [](const CaseRecord* record) { return value_of(record->test, "accuracy"); };
  figures.startup_seconds = over(records, startup_of, median_of);
  figures.peak_bytes = over(records, peak_bytes, median_of);
  figures.accuracy = over(records, accuracy_of, median_of);
}

void measure_energy(const std::vector<const CaseRecord*>& records, Intervals intervals, RowFigures& figures) {
  const Repetitions repetitions = repetitions_of(records);
  if (repetitions.empty()) {
    figures.epoch_joules = absent(case_energy(*records.front()).reason());
    return;
  }
  figures.energy = figures_of(repetitions);
  const std::vector<double>& joules = figures.energy.process_joules;
  const Reading<Interval> interval = intervals == Intervals::kComputed
                                         ? interval_of(repetitions, joules)
                                         : Reading<Interval>(absent("left out of so many files"));
  figures.epoch_joules = Estimate{median_of(joules), interval};
}

void state_energy(const RunRecord& run, std::size_t position, RowFigures& figures) {
  figures.epoch_joules = absent("the publication states no power");
  if (position >= run.published->figures.size() || !figures.seconds.has_value()) return;
  const Reading<double> watts = value_of(run.published->figures[position], "power_watts");
  if (!watts.has_value()) return;
  const double joules = watts.value() * figures.seconds.value().value;
  figures.epoch_joules = Estimate{joules, absent("the publication states no interval of the power")};
  figures.energy.scope = "published";
  figures.energy.mean_watts = watts;
  const std::int64_t samples = figures.identity.number("train_samples");
  if (samples > 0) figures.energy.joules_per_1000_samples = 1000 * joules / static_cast<double>(samples);
}

}  // namespace gpubench
