#include "compare/rows.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/energy_record.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/parameter.h"
#include "gpubench/record/row_command.h"

namespace gpubench {
namespace {

using Positions = std::vector<std::size_t>;

template <class Record>
using Repeats = std::vector<const Record*>;

/// Returns the repeats whose energy has the scope of the first one.
Repeats<CaseRecord> list_metered(const Repeats<CaseRecord>& repeats) {
  Repeats<CaseRecord> metered;
  Measured<PowerScope> first;
  for (const CaseRecord* record : repeats) {
    const Measured<PowerScope> scope = case_energy(*record).then(&CaseEnergy::scope);
    if (!first.has_value()) first = scope;
    if (scope.has_value() && scope == first) metered.push_back(record);
  }
  return metered;
}

/// Returns one value for all repeats that have it; the reason of the first repeat if none has it.
Measured<double> over_repeats(const std::vector<CaseEnergy>& repeats, Measured<double> CaseEnergy::*member,
                              double (*reduce)(std::span<const double>) = compute_median) {
  std::vector<double> values;
  for (const CaseEnergy& one : repeats) {
    if ((one.*member).has_value()) values.push_back((one.*member).value());
  }
  return values.empty() ? repeats.front().*member : Measured(reduce(values));
}

EnergyDetails describe_energy(const Repeats<CaseRecord>& metered) {
  if (metered.empty()) return {};
  const std::vector<CaseEnergy> repeats =
      mapped(metered, [](const CaseRecord* record) { return case_energy(*record).value(); });
  const auto find_peak = [](std::span<const double> values) { return std::ranges::max(values); };
  return {.scope = to_string(repeats.front().scope),
          .method = to_string(repeats.front().method),
          .meter = repeats.front().meter,
          .net_joules = over_repeats(repeats, &CaseEnergy::net_joules),
          .mean_watts = compute_median(mapped(repeats, &CaseEnergy::mean_watts)),
          .peak_watts = over_repeats(repeats, &CaseEnergy::peak_watts, find_peak),
          .idle_watts = over_repeats(repeats, &CaseEnergy::idle_watts)};
}

void add_value(MetricSamples& samples, std::int64_t round, double value) {
  samples.rounds.push_back(round);
  samples.costs.push_back(samples.metric->use->is_higher_better ? 1 / value : value);
}

/// Adds the value of a field to the samples; returns the reason if it cannot be compared.
template <class Record>
std::string add_field(const Field<Record>& field, const Record& record, MetricSamples& samples) {
  const FieldValue value = field.get(record);
  const auto* const why = std::get_if<Missing>(&value);
  const auto* const count = std::get_if<std::int64_t>(&value);
  const auto* const number = std::get_if<double>(&value);
  const double figure = count != nullptr ? static_cast<double>(*count) : number != nullptr ? *number : 0;
  if (figure > 0 && std::isfinite(figure)) {
    add_value(samples, record.repeat, figure);
    return "";
  }
  // A publication states the reason for a missing time.
  if (!record.status_reason.empty()) return record.status_reason;
  return why != nullptr ? why->reason : "not a number above 0";
}

/// Returns the samples of each metric; of energies those of `metered` repeats, of all repeats if it is empty.
template <class Record>
std::vector<MetricSamples> list_samples(const FieldTable<Record>& fields, const Repeats<Record>& repeats,
                                        const Repeats<Record>& metered, const std::string& why_none) {
  std::vector<MetricSamples> all;
  for (const Field<Record>& field : fields) {
    if (!field.use) continue;
    MetricSamples& samples = all.emplace_back(MetricSamples{&field});
    const bool is_energy = field.use->metric_class == MetricClass::kEnergy && !metered.empty();
    std::string why = why_none;
    for (const Record* record : is_energy ? metered : repeats) {
      const std::string its_why = add_field(field, *record, samples);
      if (why.empty()) why = its_why;
    }
    set_estimate(samples, why);
  }
  return all;
}

/// Sets the energies of the case at `position` of a publication, from the stated power and the epoch time.
void state_energy(const RunRecord& run, std::size_t position, ComparedRow& row) {
  const double seconds = typical_seconds(row).then(&Estimate::value).value_or(0);
  const bool is_stated = position < run.published->figures.size() && seconds > 0;
  const Measured<double> watts = is_stated ? find_value(run.published->figures[position], "power_watts")
                                           : Measured<double>(missing("no epoch time"));
  const double joules = watts.value_or(0) * seconds;
  const auto samples = static_cast<double>(row.identity.number("train_samples"));
  const std::pair<const char*, double> values[] = {
      {"mean_epoch_joules", joules},
      {"energy_delay_product", joules * seconds},
      {"joules_per_1000_samples", samples > 0 ? 1000 * joules / samples : 0}};
  for (MetricSamples& one : row.metrics) {
    if (one.metric->use->metric_class != MetricClass::kEnergy) continue;
    one.estimate = missing("the publication states no power");
    const auto* const known =
        std::ranges::find(values, one.metric->key, [](const auto& v) { return v.first; });
    if (known == std::end(values) || !(known->second > 0)) continue;
    add_value(one, 1, known->second);
    one.estimate = Estimate{known->second, missing("the publication states no interval for the power")};
  }
  if (joules > 0) row.energy = {.scope = "published", .method = "", .meter = "", .mean_watts = watts};
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
constexpr Effects kOnData = {kCaveat, kFine, kFine, kRefused, kCaveat};

constexpr bool kSetting = true;  // See Condition::is_setting.

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

/// Returns "files 1a2b3c4d", from the checksum of the first file; empty if unknown or synthetic.
std::string describe_files(const RunRecord& run, const CaseRecord& record) {
  for (const DatasetRecord& dataset : run.environment.datasets) {
    if (dataset.name == record.dataset && !dataset.files.empty() && !record.is_synthetic)
      return "files " + dataset.files.front().sha256.substr(0, 8);
  }
  return "";
}

/// Returns the conditions besides parameters, the most important first. `c` is the typical one of the
/// repeats.
Conditions list_facts(const RunRecord& run, const CaseRecord& c, const Repeats<CaseRecord>& repeats,
                      const EnergyDetails& energy, const Condition& disturbed) {
  const auto if_run = [&](const std::string& text) { return run.published ? "" : text; };
  const auto if_energy = [&](const std::string& text) {
    return energy.scope.empty() ? "" : text.empty() ? "not stated" : text;
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
  std::string steadiness;  // "no" if epochs of any repeat have a trend; empty if all have too few epochs.
  for (const CaseRecord* record : repeats) {
    if (steadiness != "no") steadiness = is_steady(*record).then(yes_or_no).value_or(steadiness);
  }
  return {
      {"parameters", kRefusedOnAll, if_run(count_text(c.parameters.value_or(0)))},
      {"forward MACs", kRefusedOnAll, if_run(count_text(c.forward_macs.value_or(0)))},
      disturbed,
      {"stable times", kOnTimeAndEnergy, steadiness, kFixed, steadiness == "no"},
      {"samples per epoch", {kRefused, kRefused, kCaveat, kRefused, kRefused}, count_text(c.train_samples)},
      {"data kind", kOnData, if_run(c.is_synthetic ? "synthetic" : "real"), kFixed, false, "", 0, kSetting},
      {"data files", kOnData, describe_files(run, c)},
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

/// Returns the conditions, the most important first. Cautions put "different" before each name.
Conditions list_conditions(const Candidate& candidate, const RunRecord& run) {
  const ToolRecord& tool = run.tool;
  const Environment& e = run.environment;
  // Drivers, power limits and cores are compared only between machines of one model.
  const std::string& model = candidate.device.model;
  const auto if_cpu = [&](const std::string& text) { return is_cpu(candidate) ? text : ""; };
  const std::string cores = e.available_cores > 0 ? fmt::format("{:g}", e.available_cores) : "";
  const std::string power_limit = power_limit_text(run.cases, candidate.device.name);
  const std::string& device = candidate.device.name;
  return {{"protocol", kCaveatOnAll, run.published ? "published, other protocol" : "gpubench"},
          {kChangedFile, kCaveatOnAll, yes_or_no(run.is_changed), kFixed, run.is_changed, "", 0, kSetting},
          {"device kind", kNoEffect, device.substr(0, device.find(':')), kChoice, false, "", 0, kSetting},
          {"device model", kNoEffect, is_cpu(candidate) ? "" : model, kChoice, false, "", 0, kSetting},
          {"CPU model", kNoEffect, e.cpu, kFixed, false, "", 0, kSetting},
          {"thread count", kOnTimeAndStartup, if_cpu(count_text(e.threads)), kChoice, false, "", 0, kSetting},
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

/// Makes the row of the records at these positions.
template <class Record>
ComparedRow make_row(const RunRecord& run, const std::vector<Record>& records, const Positions& positions) {
  Repeats<Record> good;
  bool has_warnings = false;
  for (const std::size_t i : positions) {
    has_warnings = has_warnings || !records[i].warnings.empty();
    if (records[i].status == RowStatus::kOk) good.push_back(&records[i]);
  }
  const Record& typical = good.empty() ? records[positions.front()] : *good.front();
  ComparedRow row{make_identity(typical)};
  row.command = make_command(typical);
  row.is_ok = !good.empty();
  row.status = to_string(typical.status);
  row.status_reason = typical.status_reason;
  row.processes = std::ssize(good);
  row.failures = std::ssize(positions) - row.processes;
  const std::string why_none = row.is_ok ? "" : "the case ended as " + row.status;
  const Condition disturbed{"disturbed", kOnTimeAndEnergy, yes_or_no(has_warnings), kFixed, has_warnings};
  const bool is_published = run.published.has_value();
  if constexpr (std::is_same_v<Record, CaseRecord>) {
    const Repeats<Record> metered = list_metered(good);
    row.energy = describe_energy(metered);
    row.metrics = list_samples(case_fields(), good, metered, why_none);
    if (is_published && row.is_ok) state_energy(run, positions.front(), row);
    row.conditions = list_parameters(train_parameters(), case_fields(), typical, is_published);
    append(row.conditions, list_facts(run, typical, good, row.energy, disturbed));
  } else {
    row.flop = typical.flop;
    row.metrics = list_samples(op_fields(), good, {}, why_none);
    row.conditions = list_parameters(op_parameters(), op_fields(), typical, is_published);
    row.conditions.push_back(disturbed);
  }
  return row;
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
  if (run.has_operations() && run.tool.finished_at.has_value()) {
    candidate.first_start = run.tool.started_at;
    candidate.last_start = run.tool.finished_at.value();
  }
  for (const CaseRecord& row : run.cases) {
    const std::string start = row.device == device ? row.started_at.value_or("") : "";
    if (start.empty()) continue;
    if (candidate.first_start.empty() || start < candidate.first_start) candidate.first_start = start;
    candidate.last_start = std::max(candidate.last_start, start);
  }
  return candidate;
}

}  // namespace

std::vector<ComparedRow> make_rows(const RunRecord& run) {
  const auto make_all = [&](const auto& records) {
    return mapped(group_repeats(make_identities(records)),
                  [&](const Positions& positions) { return make_row(run, records, positions); });
  };
  return run.has_operations() ? make_all(run.operations) : make_all(run.cases);
}

void set_estimate(MetricSamples& samples, const std::string& why_none) {
  samples.estimate = missing(why_none);
  if (samples.costs.empty()) return;
  const Estimate cost{compute_median(samples.costs), median_interval_of_independent(samples.costs)};
  samples.estimate = samples.metric->use->is_higher_better ? inverted(cost) : cost;
}

std::vector<Candidate> make_candidates(const RunRecord& run, const std::string& file) {
  std::vector<Candidate> candidates;
  for (ComparedRow& row : make_rows(run)) {
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
