#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "compare/candidate.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/energy_record.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/parameter.h"

namespace gpubench {
namespace {

using Positions = std::vector<std::size_t>;

/// Repeats of a row, at least one.
template <class Record>
struct Repetitions {
  const RunRecord& document;
  const Record* typical;              ///< First repeat that is ok, else the first repeat.
  std::vector<const Record*> good{};  ///< Repeats that are ok.
  bool has_warnings = false;
};

struct MeasuredEnergy : CaseEnergy {
  const CaseRecord* record;
};

std::vector<MeasuredEnergy> list_energies(const std::vector<const CaseRecord*>& records) {
  std::vector<MeasuredEnergy> all;
  for (const CaseRecord* record : records) {
    const Measured<CaseEnergy> energy = case_energy(*record);
    if (energy.has_value() && (all.empty() || all.front().scope == energy.value().scope))
      all.push_back({energy.value(), record});
  }
  return all;
}

/// Returns one value for all repeats that have the figure; the reason of the first repeat if none has it.
template <class Repetition, class Figure>
Measured<double> over(const std::vector<Repetition>& repetitions, Figure figure,
                      double (*reduce)(std::span<const double>) = compute_median) {
  std::vector<double> values;
  for (const Repetition& one : repetitions) {
    if (const Measured<double> value = std::invoke(figure, one); value.has_value())
      values.push_back(value.value());
  }
  if (values.empty()) return Measured<double>(std::invoke(figure, repetitions.front()));
  return reduce(values);
}

/// Returns the median of one or more processes, with its interval if there are enough.
Estimate median_over(std::span<const double> processes) {
  return {compute_median(processes), median_interval_of_independent(processes)};
}

EnergyFigures make_figures(const std::vector<MeasuredEnergy>& repetitions) {
  const CaseEnergy& first = repetitions.front();
  EnergyFigures figures{to_string(first.scope), to_string(first.method), first.meter};
  figures.net_joules = over(repetitions, &MeasuredEnergy::net_joules);
  figures.mean_watts = over(repetitions, &MeasuredEnergy::mean_watts);
  figures.joules_per_1000_samples =
      over(repetitions, [](const MeasuredEnergy& one) { return joules_per_1000_samples(*one.record); });
  figures.peak_watts = over(repetitions, &MeasuredEnergy::peak_watts,
                            [](std::span<const double> values) { return std::ranges::max(values); });
  figures.idle_watts = over(repetitions, &MeasuredEnergy::idle_watts);
  return figures;
}

/// Fills in `seconds` from the median times of processes, if any.
void measure_time(RowFigures& figures, const std::string& why_none) {
  figures.seconds = missing(why_none);
  if (figures.process_seconds.size() == 0) return;
  const Estimate median = median_over(figures.process_seconds.values);
  figures.seconds = median.value > 0 ? Measured(median) : missing("no measurable time");
}

Measured<double> find_peak(const CaseRecord* record) {
  const Measured<Bytes>& peak = record->device == "cpu" ? record->peak_host : record->peak_device;
  return peak.then([](Bytes bytes) { return static_cast<double>(bytes.value); });
}

void measure_case(const std::vector<const CaseRecord*>& records, RowFigures& figures) {
  for (const CaseRecord* record : records) {
    const std::span<const double> epochs = steady_epochs(*record);
    if (!epochs.empty()) figures.process_seconds.add(record->repeat, compute_median(epochs));
  }
  measure_time(figures, "no epoch after the warm-up");
  figures.startup_seconds =
      over(records, [](const CaseRecord* record) { return startup(*record).then(&Seconds::value); });
  figures.peak_bytes = over(records, find_peak);
}

void measure_energy(const std::vector<const CaseRecord*>& records, RowFigures& figures) {
  const std::vector<MeasuredEnergy> repetitions = list_energies(records);
  if (repetitions.empty()) {
    figures.epoch_joules = missing(case_energy(*records.front()).reason());
    return;
  }
  figures.energy = make_figures(repetitions);
  for (const MeasuredEnergy& one : repetitions) {
    const double mean_epoch = summarize(steady_epochs(*one.record)).mean;
    figures.process_joules.add(one.record->repeat, one.epoch_joules);
    figures.process_joule_seconds.add(one.record->repeat, one.epoch_joules * mean_epoch);
  }
  figures.epoch_joules = median_over(figures.process_joules.values);
}

/// Fills in the energy of the case at `position` of a publication: stated power times epoch time.
void state_energy(const RunRecord& run, std::size_t position, RowFigures& figures) {
  figures.epoch_joules = missing("the publication states no power");
  if (position >= run.published->figures.size() || !figures.seconds.has_value()) return;
  const Measured<double> watts = find_value(run.published->figures[position], "power_watts");
  if (!watts.has_value()) return;
  const double joules = watts.value() * figures.seconds.value().value;
  figures.epoch_joules = Estimate{joules, missing("the publication states no interval for the power")};
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

// Conditions of rows and machines.

using enum Comparability;

constexpr Comparability kFine = kComparable;  // Short, for the tables below.

constexpr bool kChoice = true;  // See Condition::is_choice.
constexpr bool kFixed = false;

constexpr Effects kNotOnAccuracy = {kCaveat, kCaveat, kCaveat, kFine, kCaveat};
constexpr Effects kOnTimeAndStartup = {kCaveat, kCaveat, kFine, kFine, kCaveat};
constexpr Effects kOnTimeAndEnergy = {kCaveat, kFine, kFine, kFine, kCaveat};
constexpr Effects kOnEnergy = {kFine, kFine, kFine, kFine, kCaveat};

std::string yes_or_no(bool is_yes) { return is_yes ? "yes" : "no"; }

/// Returns an empty text for 0, an unknown count.
std::string count_text(std::int64_t count) { return count > 0 ? std::to_string(count) : ""; }

std::string power_limit_text(const std::vector<CaseRecord>& rows, const std::string& device) {
  std::vector<double> watts;
  for (const CaseRecord& row : rows) {
    for (const EnergyRecord& source : row.energy) {
      if (row.device == device && source.device == device) append(watts, source.epoch_limit_watts);
    }
  }
  std::erase_if(watts, [](double limit) { return !(limit > 0); });
  if (watts.empty()) return "";
  const auto [least, most] = std::ranges::minmax(watts);
  return least == most ? fmt::format("{:.0f} W", least) : fmt::format("{:.0f} to {:.0f} W", least, most);
}

/// Returns the parameters whose difference has an effect. Publications state only those that name a row.
template <class Record, class Point>
Conditions list_parameters(const ParameterTable<Point>& parameters, const FieldTable<Record>& fields,
                           const Record& record, bool is_published) {
  Conditions conditions;
  for (const Parameter<Point>& parameter : parameters) {
    const ParameterUse& use = parameter.use;
    if (!use.is_in_file || use.on_difference == kNoEffect) continue;
    const bool is_stated = !is_published || use.in_name != InName::kNever;
    const Field<Record>* const used = fields.find(use.used);
    std::string value = to_text(used != nullptr ? used->get(record) : parameter.get(record));
    if (!parameter.unit.empty()) value += " " + parameter.unit;
    const std::string_view difference = use.difference;
    conditions.push_back({difference.empty() ? parameter.label : difference, use.on_difference,
                          is_stated ? value : "", use.is_choice});
  }
  return conditions;
}

/// Returns "files 1a2b3c4d", from the checksum of the first file, or "synthetic"; empty if unknown.
std::string describe_data(const RunRecord& run, const CaseRecord& record) {
  if (record.is_synthetic) return "synthetic";
  std::string digest;
  for (const DatasetRecord& dataset : run.environment.datasets) {
    if (dataset.name != record.dataset) continue;
    for (const DataFileRecord& file : dataset.files) digest += file.sha256.substr(0, 8);
  }
  return digest.empty() ? "" : "files " + digest.substr(0, 8);
}

/// Returns "no" if epochs of any repeat have a trend; empty if all repeats have too few epochs.
std::string describe_steadiness(const std::vector<const CaseRecord*>& records) {
  std::string text;
  for (const CaseRecord* record : records) {
    if (text != "no") text = is_steady(*record).then(yes_or_no).value_or(text);
  }
  return text;
}

/// Returns the conditions besides parameters, the most important first.
Conditions list_facts(const RowFigures& row, const Repetitions<CaseRecord>& repetitions) {
  const RunRecord& run = repetitions.document;
  const CaseRecord& c = *repetitions.typical;
  const EnergyFigures& energy = row.energy;
  const auto if_run = [&](const std::string& text) { return run.published ? "" : text; };
  const auto if_energy = [&](const std::string& text) {
    return !row.epoch_joules.has_value() ? "" : text.empty() ? "not stated" : text;
  };
  const auto device = std::ranges::find(run.environment.devices, c.device, &DeviceRecord::name);
  const std::string model = device == run.environment.devices.end() ? "" : device->model;
  // Devices count one network differently: a fused LSTM computes a gradient that others omit.
  const double flop = run.published ? 0 : c.train_flop_per_sample.value_or(0);
  const std::string flop_text = flop > 0 ? prefixed_text(flop, "FLOP") : "";
  // Counters and samples of power agree, but not with the method that is biased upward.
  const bool is_biased = energy.method == to_string(EnergyMethod::kSpikeQ30);
  const bool is_replayed = energy.meter == "replay";  // Not the power of this machine.
  const bool is_unclear = energy.scope == "unknown" || energy.scope == "published";
  const std::string steadiness = describe_steadiness(repetitions.good);
  return {
      {"parameters", kRefusedOnAll, if_run(count_text(c.parameters.value_or(0)))},
      {"forward MACs", kRefusedOnAll, if_run(count_text(c.forward_macs.value_or(0)))},
      {"disturbed", kOnTimeAndEnergy, yes_or_no(repetitions.has_warnings), kFixed, repetitions.has_warnings},
      {"stable times", kOnTimeAndEnergy, steadiness, kFixed, steadiness == "no"},
      {"samples per epoch", {kRefused, kRefused, kCaveat, kRefused, kRefused}, count_text(c.train_samples)},
      {"data", {kCaveat, kFine, kFine, kRefused, kCaveat}, describe_data(run, c)},
      {"optimizer", {kCaveat, kFine, kCaveat, kCaveat, kCaveat}, c.optimizer},
      {"training FLOP", kOnTimeAndEnergy, flop_text, kFixed, false, "", flop},
      {"last batch dropped", {kCaveat, kFine, kFine, kCaveat, kCaveat}, yes_or_no(c.is_last_batch_dropped)},
      {"epochs trained", {kFine, kFine, kFine, kRefused, kFine}, count_text(std::ssize(c.epoch_seconds))},
      {"stopping rule", kOnTimeAndEnergy, if_run(c.stopped_by.value_or(""))},
      {"warm-up", kOnTimeAndEnergy, if_run(yes_or_no(c.warmup_epochs > 0))},
      {"energy scope", {kFine, kFine, kFine, kFine, kRefused}, if_energy(energy.scope), kFixed, is_unclear},
      {"energy method", kOnEnergy, if_energy(is_biased ? energy.method + " (biased upward)" : "unbiased")},
      {"power meter", kOnEnergy, if_energy(is_replayed ? "replay" : "measured"), kFixed, is_replayed},
      {"power sensor", kOnEnergy, energy.meter.empty() ? "" : energy.meter + " of " + model}};
}

Conditions list_conditions(const RowFigures& row, const Repetitions<CaseRecord>& repetitions) {
  Conditions conditions = list_parameters(train_parameters(), case_fields(), *repetitions.typical,
                                          repetitions.document.published.has_value());
  append(conditions, list_facts(row, repetitions));
  return conditions;
}

Conditions list_conditions(const Repetitions<OpRecord>& repetitions) {
  Conditions conditions = list_parameters(op_parameters(), op_fields(), *repetitions.typical,
                                          repetitions.document.published.has_value());
  conditions.push_back(
      {"disturbed", kOnTimeAndEnergy, yes_or_no(repetitions.has_warnings), kFixed, repetitions.has_warnings});
  return conditions;
}

/// Returns the conditions, the most important first. Cautions put "different" before each name.
Conditions list_conditions(const Candidate& candidate, const RunRecord& run) {
  const ToolRecord& tool = run.tool;
  const Environment& e = run.environment;
  // Drivers, power limits and cores are compared only between machines of one model.
  const std::string& model = candidate.device.model;
  const auto if_cpu = [&](const std::string& text) { return is_cpu(candidate) ? text : ""; };
  const std::string cores = e.available_cores > 0 ? fmt::format("{:g}", e.available_cores) : "";
  const std::string power_limit = power_limit_text(run.cases, candidate.device.name);
  return {{"protocol", kCaveatOnAll, run.published ? "published, other protocol" : "gpubench"},
          {"thread count", kOnTimeAndStartup, if_cpu(count_text(e.threads)), kChoice},
          {"available cores", kOnTimeAndStartup, if_cpu(cores), kChoice, false, model},
          {"power limit", kOnTimeAndEnergy, power_limit, kFixed, false, model},
          {"LibTorch", kNotOnAccuracy, e.libtorch_version, kChoice},
          {"LibTorch build", kNotOnAccuracy, e.libtorch_build, kChoice},
          {"driver", kNotOnAccuracy, candidate.device.driver.value_or(""), kFixed, false, model},
          {"gpubench", kNotOnAccuracy, tool.version, kChoice, tool.version == kAnotherProgram},
          {"gpubench commit", kNotOnAccuracy, tool.git_commit.value_or(""), kChoice},
          {"allocator", kNotOnAccuracy, if_cpu(e.allocator), kChoice},
          {"wait policy", kNotOnAccuracy, if_cpu(e.wait_policy)},
          // Without effect; a history shows them beside a change.
          {"operating system", kNoEffect, e.os},
          {"kernel", kNoEffect, e.kernel},
          {"governor", kNoEffect, e.governor.value_or("")},
          {"host", kNoEffect, e.host},
          {"thread variables", kNoEffect, e.thread_variables.empty() ? "none" : e.thread_variables},
          {"host threads", kNoEffect, is_cpu(candidate) ? "" : count_text(e.threads)}};
}

RowFigures make_figures(const RunRecord& run, const Positions& positions) {
  const auto repetitions = list_repetitions(run, run.cases, positions);
  RowFigures figures = begin_figures(repetitions, positions);
  if (!figures.is_ok) {
    const Missing why = missing("the case ended as {}", figures.status);
    figures.startup_seconds = why;
    figures.peak_bytes = why;
    figures.seconds = figures.epoch_joules = why;
  } else {
    measure_case(repetitions.good, figures);
    if (run.published)
      state_energy(run, positions.front(), figures);
    else
      measure_energy(repetitions.good, figures);
  }
  figures.conditions = list_conditions(figures, repetitions);
  return figures;
}

RowFigures make_op_figures(const RunRecord& ops, const Positions& positions) {
  const auto repetitions = list_repetitions(ops, ops.operations, positions);
  RowFigures figures = begin_figures(repetitions, positions);
  figures.startup_seconds = figures.peak_bytes = missing("not measured for operations");
  figures.epoch_joules = missing("energy was not measured");
  figures.flop = repetitions.typical->flop;
  for (const OpRecord* row : repetitions.good) {
    const Measured<Estimate> time = usable_time(*row);
    if (time.has_value()) figures.process_seconds.add(row->repeat, time.value().value);
  }
  measure_time(figures, usable_time(*repetitions.typical).reason());
  figures.conditions = list_conditions(repetitions);
  return figures;
}

/// Sets the start times of the device's first and last row.
void set_starts(const RunRecord& run, Candidate& candidate) {
  if (run.has_operations() && run.tool.finished_at.has_value()) {
    candidate.first_start = run.tool.started_at;
    candidate.last_start = run.tool.finished_at.value();
  }
  for (const CaseRecord& row : run.cases) {
    if (row.device != candidate.device.name || !row.started_at.has_value()) continue;
    const std::string& start = row.started_at.value();
    if (candidate.first_start.empty() || start < candidate.first_start) candidate.first_start = start;
    candidate.last_start = std::max(candidate.last_start, start);
  }
}

/// Returns the candidate without rows.
Candidate make_candidate(const RunRecord& run, const std::string& file, const std::string& device) {
  Candidate candidate;
  candidate.file = file;
  candidate.host = run.environment.host;
  candidate.device.name = device;
  for (const DeviceRecord& known : run.environment.devices) {
    if (known.name == device) candidate.device = known;
  }
  candidate.published = run.published;
  candidate.threads = run.environment.threads;
  candidate.started_at = run.tool.started_at;
  candidate.interleaved_run = run.plan.interleaved_run.value_or("");
  candidate.variant = run.plan.variant.value_or("");
  candidate.conditions = list_conditions(candidate, run);
  candidate.scaling = compute_scaling(run);
  std::erase_if(candidate.scaling,
                [&](const ScalingRow& row) { return row.identity.at("device") != device; });
  set_starts(run, candidate);
  return candidate;
}

}  // namespace

std::vector<RowFigures> make_rows(const RunRecord& run) {
  if (run.has_operations()) {
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
  std::vector<Candidate> candidates;
  for (RowFigures& row : make_rows(run)) {
    const std::string& device = row.identity.at("device");
    auto candidate =
        std::ranges::find_if(candidates, [&](const auto& one) { return one.device.name == device; });
    if (candidate == candidates.end())
      candidate = candidates.insert(candidate, make_candidate(run, file, device));
    candidate->rows.push_back(std::move(row));
  }
  return candidates;
}

}  // namespace gpubench
