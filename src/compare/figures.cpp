#include "compare/figures.h"

#include <algorithm>
#include <span>
#include <utility>

#include "compare/comparability.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/stats/bootstrap.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

using Positions = std::vector<std::size_t>;

struct MeasuredEnergy {
  const CaseRecord* record;
  CaseEnergy energy;
};

/// Returns the repetitions that have an energy of the same scope as the first of them.
std::vector<MeasuredEnergy> list_energies(const std::vector<const CaseRecord*>& records) {
  std::vector<MeasuredEnergy> all;
  for (const CaseRecord* record : records) {
    const Measured<CaseEnergy> energy = case_energy(*record);
    if (!energy.has_value()) continue;
    if (all.empty() || all.front().energy.scope == energy.value().scope)
      all.push_back({record, energy.value()});
  }
  return all;
}

/// Returns one value for the repetitions that have the figure; the reason of the first if none has it.
template <class Repetition, class Figure>
Measured<double> over(const std::vector<Repetition>& repetitions, Figure figure,
                      double (*one_of)(std::span<const double>) = compute_median) {
  std::vector<double> values;
  for (const Repetition& one : repetitions) {
    if (const Measured<double> value = figure(one); value.has_value()) values.push_back(value.value());
  }
  if (values.empty()) return missing(figure(repetitions.front()).reason());
  return one_of(values);
}

double find_maximum(std::span<const double> values) { return std::ranges::max(values); }
double find_minimum(std::span<const double> values) { return std::ranges::min(values); }

/// Returns the source of the case's energy; the first part of several.
const EnergyRecord& find_source(const MeasuredEnergy& one) {
  const auto& sources = one.record->energy;
  const auto found = std::ranges::find_if(sources, [&](const EnergyRecord& source) {
    return source.scope == one.energy.scope && source.meter == one.energy.meter;
  });
  return found == sources.end() ? sources.front() : *found;
}

/// The median of all processes, at least one; with its interval if these are enough.
Estimate median_over(std::span<const double> processes) {
  return {compute_median(processes), median_interval_of_independent(processes)};
}

EnergyFigures make_figures(const std::vector<MeasuredEnergy>& repetitions) {
  using One = MeasuredEnergy;
  const CaseEnergy& first = repetitions.front().energy;
  EnergyFigures figures;
  figures.scope = to_string(first.scope);
  figures.method = to_string(first.method);
  figures.meter = first.meter;
  figures.net_joules = over(repetitions, [](const One& one) { return one.energy.net_joules; });
  figures.mean_watts = over(repetitions, [](const One& one) { return Measured(one.energy.mean_watts); });
  figures.joules_per_1000_samples =
      over(repetitions, [](const One& one) { return joules_per_1000_samples(*one.record); });
  figures.peak_watts = over(
      repetitions, [](const One& one) { return one.energy.peak_watts; }, find_maximum);
  figures.idle_watts = over(repetitions, [](const One& one) { return one.energy.idle_watts; });
  figures.coverage = over(
      repetitions, [](const One& one) { return find_source(one).coverage; }, find_minimum);
  figures.period_seconds = over(
      repetitions, [](const One& one) { return find_source(one).source_period.then(&Seconds::value); },
      find_maximum);
  return figures;
}

/// Fills in `seconds` from the median times of processes, if any.
void measure_time(RowFigures& figures, const std::string& why_none) {
  figures.seconds = missing(why_none);
  if (figures.process_seconds.size() == 0) return;
  const Estimate median = median_over(figures.process_seconds.values);
  figures.seconds = median.value > 0 ? Measured(median) : missing("it took no measurable time");
}

/// Fills in time and start-up.
void measure_case(const std::vector<const CaseRecord*>& records, RowFigures& figures) {
  for (const CaseRecord* record : records) {
    const std::span<const double> epochs = steady_epochs(*record);
    if (!epochs.empty()) figures.process_seconds.add(record->repeat, compute_median(epochs));
  }
  measure_time(figures, "no epoch after the warm-up");
  figures.startup_seconds =
      over(records, [](const CaseRecord* record) { return startup(*record).then(&Seconds::value); });
  figures.process_start_seconds =
      over(records, [](const CaseRecord* record) { return record->process_start.then(&Seconds::value); });
}

void measure_energy(const std::vector<const CaseRecord*>& records, RowFigures& figures) {
  const std::vector<MeasuredEnergy> repetitions = list_energies(records);
  if (repetitions.empty()) {
    figures.epoch_joules = missing(case_energy(*records.front()).reason());
    return;
  }
  figures.energy = make_figures(repetitions);
  for (const MeasuredEnergy& one : repetitions) {
    const double joules = one.energy.epoch_joules;
    figures.process_joules.add(one.record->repeat, joules);
    const double mean_epoch = summarize(steady_epochs(*one.record)).mean;
    figures.process_joule_seconds.add(one.record->repeat, joules * mean_epoch);
  }
  figures.epoch_joules = median_over(figures.process_joules.values);
}

/// Fills in the energy of the case at `position` of a publication: the stated power times the epoch.
void state_energy(const RunRecord& run, std::size_t position, RowFigures& figures) {
  figures.epoch_joules = missing("the publication states no power");
  if (position >= run.published->figures.size() || !figures.seconds.has_value()) return;
  const Measured<double> watts = find_value(run.published->figures[position], "power_watts");
  if (!watts.has_value()) return;
  const double joules = watts.value() * figures.seconds.value().value;
  figures.epoch_joules = Estimate{joules, missing("the publication states no interval of the power")};
  figures.process_joules.add(1, joules);
  figures.process_joule_seconds.add(1, joules * figures.seconds.value().value);
  figures.energy.scope = "published";
  figures.energy.mean_watts = watts;
  const std::int64_t samples = figures.identity.number("train_samples");
  if (samples > 0) figures.energy.joules_per_1000_samples = 1000 * joules / static_cast<double>(samples);
}

template <class Record>
Repetitions<Record> list_repetitions(const RunRecord& document, const std::vector<Record>& records,
                                     const Positions& positions) {
  Repetitions<Record> repetitions{document, &records[positions.front()]};
  for (const std::size_t i : positions) {
    repetitions.has_warnings = repetitions.has_warnings || !records[i].warnings.empty();
    if (records[i].status == RowStatus::kOk) repetitions.good.push_back(&records[i]);
  }
  if (!repetitions.good.empty()) repetitions.typical = repetitions.good.front();
  return repetitions;
}

/// Fills in what rows of both kinds have.
template <class Record>
RowFigures begin_figures(const Repetitions<Record>& repetitions, const Positions& positions) {
  RowFigures figures{make_identity(*repetitions.typical)};
  figures.is_ok = !repetitions.good.empty();
  figures.status = to_string(repetitions.typical->status);
  figures.status_reason = repetitions.typical->status_reason;
  figures.processes = std::ssize(repetitions.good);
  figures.failures = std::ssize(positions) - figures.processes;
  return figures;
}

RowFigures make_figures(const RunRecord& run, const Positions& positions) {
  const auto repetitions = list_repetitions(run, run.cases, positions);
  RowFigures figures = begin_figures(repetitions, positions);
  if (!run.published) figures.flop = repetitions.typical->train_flop_per_sample.value_or(0);
  if (!figures.is_ok) {
    const Missing why = missing("the case ended as {}", figures.status);
    figures.process_start_seconds = figures.startup_seconds = why;
    figures.seconds = figures.epoch_joules = why;
  } else {
    measure_case(repetitions.good, figures);
    if (run.published)
      state_energy(run, positions.front(), figures);
    else
      measure_energy(repetitions.good, figures);
  }
  set_conditions(figures, repetitions);
  return figures;
}

RowFigures make_op_figures(const RunRecord& ops, const Positions& positions) {
  const auto repetitions = list_repetitions(ops, ops.operations, positions);
  RowFigures figures = begin_figures(repetitions, positions);
  figures.process_start_seconds = figures.startup_seconds = missing("operations have none");
  figures.epoch_joules = missing("energy was not measured");
  figures.flop = repetitions.typical->flop;
  for (const OpRecord* row : repetitions.good) {
    const Measured<Estimate> time = usable_time(*row);
    if (time.has_value()) figures.process_seconds.add(row->repeat, time.value().value);
  }
  measure_time(figures, usable_time(*repetitions.typical).reason());
  set_conditions(figures, repetitions);
  return figures;
}

Candidate make_candidate(const RunRecord& record, const std::string& file, const std::string& device) {
  const Environment& environment = record.environment;
  Candidate candidate;
  candidate.file = file;
  candidate.host = environment.host;
  candidate.device.name = device;
  for (const DeviceRecord& known : environment.devices) {
    if (known.name == device) candidate.device = known;
  }
  candidate.published = record.published;
  candidate.threads = environment.threads;
  candidate.started_at = record.tool.started_at;
  set_conditions(candidate, record);
  return candidate;
}

std::vector<Candidate> by_device(const RunRecord& record, const std::string& file) {
  std::vector<Candidate> candidates;
  for (RowFigures& row : make_rows(record)) {
    const std::string& device = row.identity.at("device");
    auto candidate =
        std::ranges::find_if(candidates, [&](const auto& one) { return one.device.name == device; });
    if (candidate == candidates.end())
      candidate = candidates.insert(candidate, make_candidate(record, file, device));
    candidate->rows.push_back(std::move(row));
  }
  return candidates;
}

}  // namespace

std::vector<RowFigures> make_rows(const RunRecord& run) {
  if (run.is_of_operations()) {
    return mapped(group_repeats(make_identities(run.operations)),
                  [&](const Positions& positions) { return make_op_figures(run, positions); });
  }
  return mapped(group_repeats(make_identities(run.cases)),
                [&](const Positions& positions) { return make_figures(run, positions); });
}

Measured<Estimate> usable_time(const OpRecord& row) {
  const std::string why = row.status_reason.empty() ? "" : ": " + row.status_reason;
  if (row.status != RowStatus::kOk) return missing(to_string(row.status) + why);
  if (row.call_seconds.empty() && !row.status_reason.empty()) return missing(row.status_reason);
  const Measured<Estimate> time = call_time(row);
  if (time.has_value() && time.value().value <= 0) return missing("the time is zero");
  return time;
}

std::vector<Candidate> make_candidates(const RunRecord& run, const std::string& file) {
  std::vector<Candidate> candidates = by_device(run, file);
  for (Candidate& candidate : candidates) {
    if (run.is_of_operations() && run.tool.finished_at.has_value()) {
      candidate.first_start = run.tool.started_at;
      candidate.last_start = run.tool.finished_at.value();
    }
    candidate.alternation = run.plan.alternation.value_or("");
    candidate.side = run.plan.side.value_or("");
    candidate.scaling = compute_scaling(run);
    std::erase_if(candidate.scaling,
                  [&](const ScalingRow& row) { return row.identity.at("device") != candidate.device.name; });
    for (const CaseRecord& row : run.cases) {
      if (row.device != candidate.device.name || !row.started_at.has_value()) continue;
      const std::string& start = row.started_at.value();
      if (candidate.first_start.empty() || start < candidate.first_start) candidate.first_start = start;
      candidate.last_start = std::max(candidate.last_start, start);
    }
  }
  return candidates;
}

}  // namespace gpubench
