#include "compare/row_figures.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/bootstrap.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

using Positions = std::vector<std::size_t>;

/// Repetitions of a row.
template <class Record>
struct Repetitions {
  Repetitions(const std::vector<Record>& records, const Positions& positions)
      : typical(&records[positions.front()]), figures{make_identity(*typical)} {
    for (const std::size_t i : positions) {
      figures.has_warnings = figures.has_warnings || !records[i].warnings.empty();
      if (records[i].status == RowStatus::kOk) good.push_back(&records[i]);
    }
    if (!good.empty()) typical = good.front();
    figures.is_ok = !good.empty();
    figures.status = to_string(typical->status);
    figures.status_reason = typical->status_reason;
    figures.processes = std::ssize(good);
    figures.failures = std::ssize(positions) - figures.processes;
  }

  const Record* typical;              ///< The one that stands for all.
  RowFigures figures;                 ///< What is known of a row of any kind.
  std::vector<const Record*> good{};  ///< Those that ended well.
};

/// A repetition with the energy that stands for it.
struct MeasuredEnergy {
  const CaseRecord* record;
  CaseEnergy energy;
};

using Energies = std::vector<MeasuredEnergy>;

/// Repetitions whose energy is of another scope than the first one's, or that have none, do not count.
Energies list_energies(const std::vector<const CaseRecord*>& records) {
  Energies all;
  for (const CaseRecord* record : records) {
    const Measured<CaseEnergy> energy = case_energy(*record);
    if (!energy.has_value()) continue;
    if (all.empty() || all.front().energy.scope == energy.value().scope) {
      all.push_back({record, energy.value()});
    }
  }
  return all;
}

/// One value for those of the repetitions that have the figure; the reason of the first where none has.
template <class Repetition, class Figure>
Measured<double> over(const std::vector<Repetition>& repetitions, Figure figure,
                      double (*one_of)(std::span<const double>)) {
  std::vector<double> values;
  for (const Repetition& one : repetitions) {
    if (const Measured<double> value = figure(one); value.has_value()) values.push_back(value.value());
  }
  if (values.empty()) return missing(figure(repetitions.front()).reason());
  return one_of(values);
}

double find_maximum(std::span<const double> values) { return std::ranges::max(values); }
double find_minimum(std::span<const double> values) { return std::ranges::min(values); }

/// The source that the case's energy is from; the first part where there are several.
const EnergyRecord& make_source(const MeasuredEnergy& one) {
  const auto& sources = one.record->energy;
  const auto found = std::ranges::find_if(sources, [&](const EnergyRecord& source) {
    return source.scope == one.energy.scope && source.meter == one.energy.meter;
  });
  return found == sources.end() ? sources.front() : *found;
}

/// The median of all processes, at least one; with its interval where these are enough.
Estimate median_over(std::span<const double> processes) {
  return {compute_median(processes), median_interval_of_independent(processes)};
}

Measured<double> peak_bytes(const CaseRecord* record) {
  const Measured<Bytes>& peak = record->device == "cpu" ? record->peak_host : record->peak_device;
  return peak.then([](Bytes bytes) { return static_cast<double>(bytes.value); });
}

EnergyFigures make_figures(const Energies& repetitions) {
  EnergyFigures figures;
  const CaseEnergy& first = repetitions.front().energy;
  figures.scope = to_string(first.scope);
  figures.method = to_string(first.method);
  figures.meter = first.meter;
  const auto told = [&](auto figure, auto one_of) { return over(repetitions, figure, one_of); };
  figures.net_joules = told([](const MeasuredEnergy& one) { return one.energy.net_joules; }, compute_median);
  figures.mean_watts =
      told([](const MeasuredEnergy& one) { return Measured(one.energy.mean_watts); }, compute_median);
  figures.joules_per_1000_samples =
      told([](const MeasuredEnergy& one) { return joules_per_1000_samples(*one.record); }, compute_median);
  figures.peak_watts = told([](const MeasuredEnergy& one) { return one.energy.peak_watts; }, find_maximum);
  figures.idle_watts = told([](const MeasuredEnergy& one) { return one.energy.idle_watts; }, compute_median);
  figures.coverage = told([](const MeasuredEnergy& one) { return make_source(one).coverage; }, find_minimum);
  figures.period_seconds =
      told([](const MeasuredEnergy& one) { return make_source(one).source_period.then(&Seconds::value); },
           find_maximum);
  return figures;
}

/// Fills in `seconds` from the median times of processes, at least one.
void measure_time(RowFigures& figures) {
  const Estimate median = median_over(figures.process_seconds.values);
  figures.seconds = median.value > 0 ? Measured(median) : missing("it took no measurable time");
}

/// Fills in T0, and what comes before it.
void measure_start(const std::vector<const CaseRecord*>& records, RowFigures& figures) {
  const auto compute_startup = [](const CaseRecord* record) {
    return startup(*record).then(&Seconds::value);
  };
  const auto find_start = [](const CaseRecord* record) {
    return record->process_start.then(&Seconds::value);
  };
  figures.startup_seconds = over(records, compute_startup, compute_median);
  figures.process_start_seconds = over(records, find_start, compute_median);
}

/// Fills in the times of processes that have some epoch after the warm-up.
void measure_epochs(const std::vector<const CaseRecord*>& records, RowFigures& figures) {
  for (const CaseRecord* record : records) {
    const std::span<const double> epochs = steady_epochs(*record);
    if (!epochs.empty()) figures.process_seconds.add(record->repeat, compute_median(epochs));
  }
  figures.seconds = missing("no epoch after the warm-up");
  if (figures.process_seconds.size() > 0) measure_time(figures);
}

/// Fills in time, start-up, memory and accuracy.
void measure_case(const std::vector<const CaseRecord*>& records, RowFigures& figures) {
  const auto compute_accuracy = [](const CaseRecord* record) { return find_value(record->test, "accuracy"); };
  measure_epochs(records, figures);
  measure_start(records, figures);
  figures.peak_bytes = over(records, peak_bytes, compute_median);
  figures.accuracy = over(records, compute_accuracy, compute_median);
}

void measure_energy(const std::vector<const CaseRecord*>& records, RowFigures& figures) {
  const Energies repetitions = list_energies(records);
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

/// The energy of the case at `position` of a publication, which states power: that times the epoch, which
/// `figures` has.
void state_energy(const RunRecord& run, std::size_t position, RowFigures& figures) {
  figures.epoch_joules = missing("the publication states no power");
  if (position >= run.published->figures.size() || !figures.seconds.has_value()) return;
  const Measured<double> watts = find_value(run.published->figures[position], "power_watts");
  if (!watts.has_value()) return;
  const double joules = watts.value() * figures.seconds.value().value;
  figures.epoch_joules = Estimate{joules, missing("the publication states no interval of the power")};
  figures.energy.scope = "published";
  figures.energy.mean_watts = watts;
  const std::int64_t samples = figures.identity.number("train_samples");
  if (samples > 0) figures.energy.joules_per_1000_samples = 1000 * joules / static_cast<double>(samples);
}

/// The checksums of the files, so that equal data has equal text.
std::string compute_digest(const RunRecord& run, const CaseRecord& record) {
  if (record.is_synthetic) return "synthetic";
  std::string digest;
  for (const DatasetRecord& dataset : run.environment.datasets) {
    if (dataset.name != record.dataset) continue;
    for (const DataFileRecord& file : dataset.files) digest += file.sha256.substr(0, 8);
  }
  return digest;
}

std::string to_text(const Measured<std::int64_t>& count) {
  return count.has_value() ? std::to_string(count.value()) : "";
}

/// What a sample costs, and how it was trained on. Publications tell none of it.
void describe_work(const CaseRecord& record, RowFigures& figures) {
  figures.parameters = to_text(record.parameters);
  figures.forward_macs = to_text(record.forward_macs);
  if (record.train_flop_per_sample.has_value()) figures.train_flop = record.train_flop_per_sample.value();
  figures.least_timed = fmt::format("{:g} s", record.min_timed.value);
  figures.stopped_by = record.stopped_by.has_value() ? record.stopped_by.value() : "";
  figures.warm_up = record.warmup_epochs > 0 ? "yes" : "no";
}

/// Of any repetition that has epochs enough to tell.
std::string describe_steadiness(const std::vector<const CaseRecord*>& records) {
  std::string told;
  for (const CaseRecord* record : records) {
    const Measured<bool> is_true = is_steady(*record);
    if (is_true.has_value() && told != "no") told = is_true.value() ? "yes" : "no";
  }
  return told;
}

RowFigures make_figures(const RunRecord& run, const Positions& positions) {
  auto [typical, figures, good] = Repetitions(run.cases, positions);
  figures.execution_used = typical->execution_used.has_value() ? typical->execution_used.value() : "";
  figures.layout_used = typical->layout_used.has_value() ? typical->layout_used.value() : "";
  figures.optimizer = typical->optimizer;
  figures.dataset_digest = compute_digest(run, *typical);
  figures.epochs = std::ssize(typical->epoch_seconds);
  figures.is_last_batch_dropped = typical->is_last_batch_dropped;
  if (!run.published) describe_work(*typical, figures);
  figures.is_steady = describe_steadiness(good);
  if (good.empty()) {
    const Missing why = missing("the case ended as {}", figures.status);
    figures.process_start_seconds = figures.startup_seconds = figures.peak_bytes = figures.accuracy = why;
    figures.seconds = figures.epoch_joules = why;
    return std::move(figures);
  }
  measure_case(good, figures);
  if (run.published) {
    state_energy(run, positions.front(), figures);
  } else {
    measure_energy(good, figures);
  }
  return std::move(figures);
}

RowFigures make_figures(const OpsRecord& ops, const Positions& positions) {
  auto [typical, figures, good] = Repetitions(ops.rows, positions);
  figures.process_start_seconds = figures.peak_bytes = figures.accuracy = missing("operations have none");
  figures.startup_seconds = missing("operations have none");
  figures.epoch_joules = missing("energy was not measured");
  for (const OpRecord* row : good) {
    const Measured<Estimate> time = usable_time(*row);
    if (time.has_value()) figures.process_seconds.add(row->repeat, time.value().value);
  }
  if (figures.process_seconds.size() == 0) {
    figures.seconds = missing(usable_time(*typical).reason());
  } else {
    measure_time(figures);
  }
  return std::move(figures);
}

}  // namespace

std::vector<RowFigures> make_rows(const RunRecord& run) {
  return mapped(group_repeats(make_identities(run.cases)),
                [&](const Positions& positions) { return make_figures(run, positions); });
}

std::vector<RowFigures> make_rows(const OpsRecord& ops) {
  return mapped(group_repeats(make_identities(ops.rows)),
                [&](const Positions& positions) { return make_figures(ops, positions); });
}

Measured<Estimate> usable_time(const OpRecord& row) {
  const std::string why = row.status_reason.empty() ? "" : ": " + row.status_reason;
  if (row.status != RowStatus::kOk) return missing(to_string(row.status) + why);
  if (row.call_seconds.empty() && !row.status_reason.empty()) return missing(row.status_reason);
  const Measured<Estimate> time = call_time(row);
  if (time.has_value() && time.value().value <= 0) return missing("the time is zero");
  return time;
}

}  // namespace gpubench
