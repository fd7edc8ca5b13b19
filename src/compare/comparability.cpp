#include "compare/comparability.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/energy_record.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/op_parameters.h"
#include "gpubench/record/train_parameters.h"

namespace gpubench {
namespace {

using enum Comparability;

constexpr bool kChoice = true;  // See Condition::is_choice.
constexpr bool kFixed = false;

constexpr Effects kNotOnAccuracy = {kCaveat, kCaveat, kCaveat, kComparable, kCaveat};
constexpr Effects kOnTimeAndStartup = {kCaveat, kCaveat, kComparable, kComparable, kCaveat};
constexpr Effects kOnTimeAndEnergy = {kCaveat, kComparable, kComparable, kComparable, kCaveat};
constexpr Effects kOnEnergy = {kComparable, kComparable, kComparable, kComparable, kCaveat};
constexpr Effects kOnStartupAndMemory = {kComparable, kCaveat, kCaveat, kComparable, kComparable};

std::string yes_or_no(bool is_so) { return is_so ? "yes" : "no"; }

/// Empty for a missing one.
std::string text_in(const Measured<std::string>& text) { return text.value_or(""); }
std::string text_in(std::int64_t count) { return count > 0 ? std::to_string(count) : ""; }

/// The lowest and highest power limit of all epochs for which a meter of the device reported one.
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

/// Drivers, power limits and cores of unlike machines are a part of what is compared.
bool are_other_models(const Candidate& left, const Candidate& right) {
  return left.device.model != right.device.model;
}

/// Returns the conditions of a machine, the most important first. Cautions say "different" before each name.
std::vector<Condition<Candidate>> list_conditions(const Candidate& candidate, const RunRecord& document) {
  const ToolRecord& tool = document.tool;
  const Environment& e = document.environment;
  const auto if_cpu = [&](const std::string& text) { return is_cpu(candidate) ? text : ""; };
  const std::string cores = e.available_cores > 0 ? fmt::format("{:g}", e.available_cores) : "";
  const std::string power_limit = power_limit_text(document.cases, candidate.device.name);
  return {{"protocol", kCaveatOnAll, document.published ? "published, other protocol" : "gpubench"},
          {"thread count", kOnTimeAndStartup, if_cpu(text_in(e.threads)), kChoice},
          {"available cores", kOnTimeAndStartup, if_cpu(cores), kChoice, false, are_other_models},
          {"power limit", kOnTimeAndEnergy, power_limit, kFixed, false, are_other_models},
          {"LibTorch", kNotOnAccuracy, e.libtorch_version, kChoice},
          {"LibTorch build", kNotOnAccuracy, e.libtorch_build, kChoice},
          {"driver", kNotOnAccuracy, text_in(candidate.device.driver), kFixed, false, are_other_models},
          {"gpubench", kNotOnAccuracy, tool.version, kChoice, tool.version == kAnotherProgram},
          {"gpubench commit", kNotOnAccuracy, text_in(tool.git_commit), kChoice},
          {"allocator", kNotOnAccuracy, if_cpu(e.allocator), kChoice},
          {"wait policy", kNotOnAccuracy, if_cpu(e.wait_policy)},
          {"isolation", kOnStartupAndMemory, document.plan.isolation}};
}

/// Returns the parameters in files whose difference has an effect. Publications state those that name a row.
template <class Record, class Point>
std::vector<Condition<RowFigures>> list_parameters(const ParameterTable<Point>& parameters,
                                                   const FieldTable<Record>& fields, const Record& record,
                                                   bool is_published) {
  std::vector<Condition<RowFigures>> conditions;
  for (const Parameter<Point>& parameter : parameters) {
    const ParameterUse& use = parameter.use;
    if (!use.is_in_file || use.on_difference == kNoEffect) continue;
    const bool is_stated = !is_published || use.in_name != IdentityKey::InName::kNever;
    const Field<Record>* const used = fields.find(use.used);
    std::string value = to_text(used != nullptr ? used->get(record) : parameter.get(record));
    if (!parameter.unit.empty()) value += " " + parameter.unit;
    const std::string_view name =
        *use.difference == '\0' ? std::string_view(parameter.label) : use.difference;
    conditions.push_back({name, use.on_difference, is_stated ? value : "", use.is_choice});
  }
  return conditions;
}

using CaseRepetitions = Repetitions<CaseRecord>;

/// "files 1a2b3c4d", by the checksums of the first files; "synthetic"; empty if unknown.
std::string describe_data(const RunRecord& run, const CaseRecord& record) {
  if (record.is_synthetic) return "synthetic";
  std::string digest;
  for (const DatasetRecord& dataset : run.environment.datasets) {
    if (dataset.name != record.dataset) continue;
    for (const DataFileRecord& file : dataset.files) digest += file.sha256.substr(0, 8);
  }
  return digest.empty() ? "" : "files " + digest.substr(0, 8);
}

/// "no" if the epochs of any repetition still became faster or slower; empty if all have too few epochs.
std::string describe_steadiness(const std::vector<const CaseRecord*>& records) {
  std::string text;
  for (const CaseRecord* record : records) {
    const Measured<bool> is_level = is_steady(*record);
    if (is_level.has_value() && text != "no") text = yes_or_no(is_level.value());
  }
  return text;
}

/// Devices count one network differently: a fused LSTM computes a gradient that others leave out.
bool have_similar_flop(const RowFigures& left, const RowFigures& right) {
  constexpr double kTolerance = 0.01;
  return std::abs(left.flop - right.flop) <= kTolerance * std::max(left.flop, right.flop);
}

/// A counter and samples of power agree, except for the method that is biased upward.
bool is_biased(const RowFigures& row) { return row.energy.method == to_string(EnergyMethod::kSpikeQ30); }
bool have_one_bias(const RowFigures& left, const RowFigures& right) {
  return is_biased(left) == is_biased(right);
}

/// No machine drew the power of a replay.
bool is_replayed(const RowFigures& row) { return row.energy.meter == "replay"; }
bool are_measured(const RowFigures& left, const RowFigures& right) {
  return !is_replayed(left) && !is_replayed(right);
}

/// Returns what is no parameter, the most important first.
std::vector<Condition<RowFigures>> list_facts(const RowFigures& row, const CaseRepetitions& repetitions) {
  const RunRecord& run = repetitions.document;
  const CaseRecord& c = *repetitions.typical;
  const EnergyFigures& energy = row.energy;
  const auto if_run = [&](const std::string& text) { return run.published ? "" : text; };
  const auto if_energy = [&](const std::string& text) {
    return !row.epoch_joules.has_value() ? "" : text.empty() ? "not told" : text;
  };
  const auto device = std::ranges::find(run.environment.devices, c.device, &DeviceRecord::name);
  const std::string model = device == run.environment.devices.end() ? "" : device->model;
  const std::string steadiness = describe_steadiness(repetitions.good);
  return {
      {"parameters", kRefusedOnAll, if_run(text_in(c.parameters.value_or(0)))},
      {"forward MACs", kRefusedOnAll, if_run(text_in(c.forward_macs.value_or(0)))},
      {"disturbed", kOnTimeAndEnergy, yes_or_no(repetitions.has_warnings), kFixed, repetitions.has_warnings},
      {"stable times", kOnTimeAndEnergy, steadiness, kFixed, steadiness == "no"},
      {"samples per epoch", {kRefused, kRefused, kCaveat, kRefused, kRefused}, text_in(c.train_samples)},
      {"data", {kCaveat, kComparable, kComparable, kRefused, kCaveat}, describe_data(run, c)},
      {"optimizer", {kCaveat, kComparable, kCaveat, kCaveat, kCaveat}, c.optimizer},
      {"training FLOP", kOnTimeAndEnergy, row.flop > 0 ? prefixed_text(row.flop, "FLOP") : "", kFixed, false,
       have_similar_flop},
      {"last batch dropped",
       {kCaveat, kComparable, kComparable, kCaveat, kCaveat},
       yes_or_no(c.is_last_batch_dropped)},
      {"epochs trained",
       {kComparable, kComparable, kComparable, kRefused, kComparable},
       text_in(std::ssize(c.epoch_seconds))},
      {"stopping rule", kOnTimeAndEnergy, if_run(text_in(c.stopped_by))},
      {"warm-up", kOnTimeAndEnergy, if_run(yes_or_no(c.warmup_epochs > 0))},
      {"energy scope",
       {kComparable, kComparable, kComparable, kComparable, kRefused},
       if_energy(energy.scope),
       kFixed,
       energy.scope == "unknown" || energy.scope == "published"},
      {"energy method", kOnEnergy, if_energy(energy.method + (is_biased(row) ? " (biased upward)" : "")),
       kFixed, false, have_one_bias},
      {"power meter", kOnEnergy, if_energy(energy.meter), kFixed, is_replayed(row), are_measured},
      {"power sensor", kOnEnergy, energy.meter.empty() ? "" : energy.meter + " of " + model}};
}

/// Compares conditions by position: both sides have those of one kind of document.
template <class Side>
std::vector<Difference> compare_conditions(const Side& left, const Side& right) {
  std::vector<Difference> all;
  for (std::size_t i = 0; i < std::min(left.conditions.size(), right.conditions.size()); ++i) {
    const Condition<Side>& one = left.conditions[i];
    const Condition<Side>& other = right.conditions[i];
    const bool has_doubt = one.is_doubtful || other.is_doubtful;
    const bool is_alike = one.value == other.value && !has_doubt;
    if (is_alike || one.value.empty() || other.value.empty()) continue;
    if (one.is_ignored != nullptr && one.is_ignored(left, right)) continue;
    Difference difference{std::string(one.name), one.value, other.value, one.effects,
                          one.is_choice && one.value != other.value};
    if (has_doubt) {
      for (Comparability& effect : difference.effect) effect = std::min(effect, kCaveat);
    }
    all.push_back(std::move(difference));
  }
  return all;
}

bool has_rounds(const Candidate& candidate) {
  return std::ranges::any_of(
      candidate.rows, [](const RowFigures& row) { return row.process_seconds.size() >= kEnoughProcesses; });
}

/// Rounds show how a machine changes over time only where both sides went through the same times.
std::vector<Difference> order_difference(const Candidate& left, const Candidate& right) {
  const bool is_one_host = left.host == right.host;
  if (!is_one_host || find_measuring(left, right) != Measuring::kApart) return {};
  if (!has_rounds(left) || !has_rounds(right)) return {};
  const bool is_left_first = is_before(left, right);
  return {{"order of measuring", is_left_first ? "ran first" : "ran afterwards",
           is_left_first ? "ran afterwards" : "ran first", kOnTimeAndEnergy}};
}

}  // namespace

std::string to_string(Metric metric) {
  constexpr std::array kNames = {"epoch time", "start-up", "memory", "accuracy", "energy"};
  return kNames[static_cast<std::size_t>(metric)];
}

std::string to_string(Comparability comparability) {
  constexpr std::array kNames = {"comparable", "caveat", "refused"};
  return kNames[static_cast<std::size_t>(comparability)];
}

void set_conditions(RowFigures& row, const CaseRepetitions& repetitions) {
  const bool is_published = repetitions.document.published.has_value();
  row.conditions = list_parameters(train_parameters(), case_fields(), *repetitions.typical, is_published);
  append(row.conditions, list_facts(row, repetitions));
}

void set_conditions(RowFigures& row, const Repetitions<OpRecord>& repetitions) {
  const bool is_published = repetitions.document.published.has_value();
  row.conditions = list_parameters(op_parameters(), op_fields(), *repetitions.typical, is_published);
  row.conditions.push_back(
      {"disturbed", kOnTimeAndEnergy, yes_or_no(repetitions.has_warnings), kFixed, repetitions.has_warnings});
}

void set_conditions(Candidate& candidate, const RunRecord& run) {
  candidate.conditions = list_conditions(candidate, run);
}

std::vector<Difference> differences(const Candidate& left, const Candidate& right) {
  std::vector<Difference> all = compare_conditions(left, right);
  append(all, order_difference(left, right));
  return all;
}

std::vector<Difference> differences(const RowFigures& left, const RowFigures& right) {
  return compare_conditions(left, right);
}

std::string describe_distinction(const Candidate& one, const std::vector<Candidate>& all) {
  std::vector<std::string> words;
  for (const Candidate& other : all) {
    if (!are_in_alternation(one, other)) continue;
    std::vector<Difference> found;
    for (std::size_t i = 0; i < std::min(one.rows.size(), other.rows.size()); ++i)
      append(found, differences(one.rows[i], other.rows[i]));
    append(found, differences(one, other));
    for (const Difference& difference : found) {
      if (difference.is_choice) add_once(words, difference.what + " " + difference.left);
    }
  }
  if (!words.empty()) return join(words);
  if (!one.side.empty()) return "side " + one.side;
  const auto is_other_of_its_name = [&](const Candidate& other) {
    return other.file != one.file && device_text(other) == device_text(one);
  };
  return std::ranges::any_of(all, is_other_of_its_name) ? one.file : "";
}

Comparability comparability_on(Metric metric, const std::vector<Difference>& differences) {
  Comparability worst = kComparable;
  for (const Difference& difference : differences) worst = std::max(worst, difference.on(metric));
  return worst;
}

RowIdentity to_work(const RowIdentity& identity) {
  std::vector<RowIdentity::Part> parts = identity.parts();
  std::erase_if(parts, [](const RowIdentity::Part& part) {
    return part.key->mode_distance > 0 || part.key->name == "device";
  });
  return RowIdentity(std::move(parts));
}

int distance(const RowIdentity& left, const RowIdentity& right) {
  int sum = 0;
  for (const RowIdentity::Part& part : left.parts())
    sum += part.value != right.at(part.key->name) ? part.key->mode_distance : 0;
  return sum;
}

const RowFigures* find_nearest_row(const RowIdentity& identity,
                                   const std::vector<const RowFigures*>& candidates) {
  const auto nearest = std::ranges::min_element(
      candidates, {}, [&](const RowFigures* other) { return distance(identity, other->identity); });
  return nearest == candidates.end() ? nullptr : *nearest;
}

}  // namespace gpubench
