#include "compare/comparability.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

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

constexpr Effects kNotOnAccuracy = {kCaveat, kCaveat, kCaveat, kComparable, kCaveat};
constexpr Effects kOnTimeAndStartup = {kCaveat, kCaveat, kComparable, kComparable, kCaveat};
constexpr Effects kOnTimeAndEnergy = {kCaveat, kComparable, kComparable, kComparable, kCaveat};
constexpr Effects kOnEnergy = {kComparable, kComparable, kComparable, kComparable, kCaveat};

/// A condition, and how it is read. An empty value is unstated, and differs from nothing.
template <class Side, class Source>
struct ReadRule : ConditionRule<Side> {
  std::function<std::string(const Source&)> read;
};

std::string yes_or_no(bool is_so) { return is_so ? "yes" : "no"; }

/// Empty for a missing one.
std::string text_in(const Measured<std::string>& text) { return text.value_or(""); }
std::string text_in(const Measured<std::int64_t>& count) {
  return count.has_value() ? std::to_string(count.value()) : "";
}

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

struct MachineSource {
  const Candidate& candidate;
  const ToolRecord& tool;
  const Environment& environment;
  const RunRecord* run;  ///< Null for operations.
  const OpsRecord* ops;  ///< Null for trainings.
};
using MachineRules = std::vector<ReadRule<Candidate, MachineSource>>;

/// Returns a reader that states nothing for other devices than CPUs.
template <class Read>
auto of_cpu(Read read) {
  return [read](const MachineSource& source) {
    return is_cpu(source.candidate) ? read(source.environment) : std::string();
  };
}

/// Returns the conditions of a machine, the most important first. Cautions say "different" before each name.
const MachineRules& machine_rules() {
  using S = MachineSource;
  using E = Environment;
  static const MachineRules rules{
      {{.name = "protocol", .effects = kCaveatOnAll},
       [](const S& s) { return s.candidate.published ? "published, other protocol" : "gpubench"; }},
      {{.name = "thread count", .effects = kOnTimeAndStartup, .is_choice = true},
       of_cpu([](const E& e) { return e.threads > 0 ? std::to_string(e.threads) : ""; })},
      {{.name = "available cores",
        .effects = kOnTimeAndStartup,
        .is_choice = true,
        .is_ignored = are_other_models},
       of_cpu(
           [](const E& e) { return e.available_cores > 0 ? fmt::format("{:g}", e.available_cores) : ""; })},
      {{.name = "power limit", .effects = kOnTimeAndEnergy, .is_ignored = are_other_models},
       [](const S& s) { return s.run ? power_limit_text(s.run->cases, s.candidate.device.name) : ""; }},
      {{.name = "LibTorch", .effects = kNotOnAccuracy, .is_choice = true},
       [](const S& s) { return s.environment.libtorch_version; }},
      {{.name = "LibTorch build", .effects = kNotOnAccuracy, .is_choice = true},
       [](const S& s) { return s.environment.libtorch_build; }},
      {{.name = "driver", .effects = kNotOnAccuracy, .is_ignored = are_other_models},
       [](const S& s) { return text_in(s.candidate.device.driver); }},
      {{.name = "gpubench", .effects = kNotOnAccuracy, .is_choice = true, .doubtful = {kAnotherProgram}},
       [](const S& s) { return s.tool.version; }},
      {{.name = "gpubench commit", .effects = kNotOnAccuracy, .is_choice = true},
       [](const S& s) { return text_in(s.tool.git_commit); }},
      {{.name = "allocator", .effects = kNotOnAccuracy, .is_choice = true},
       of_cpu([](const E& e) { return e.allocator; })},
      {{.name = "wait policy", .effects = kNotOnAccuracy}, of_cpu([](const E& e) { return e.wait_policy; })},
      {{.name = "protocol of calls",
        .effects = {kCaveat, kComparable, kComparable, kComparable, kComparable}},
       [](const S& s) { return s.ops && !s.ops->published ? s.ops->settings.protocol : ""; }},
      {{.name = "isolation", .effects = {kComparable, kCaveat, kCaveat, kComparable, kComparable}},
       [](const S& s) { return s.run ? s.run->plan.isolation : ""; }}};
  return rules;
}

template <class Document, class Record>
struct RowSource {
  const Repetitions<Document, Record>& repetitions;
  const RowFigures& figures;

  const Document& document() const { return repetitions.document; }
  const Record& typical() const { return *repetitions.typical; }
};
template <class Document, class Record>
using RowRules = std::vector<ReadRule<RowFigures, RowSource<Document, Record>>>;

/// Returns a rule for each parameter in files that has an effect. Publications state those that name a row.
template <class Document, class Record, class Point>
RowRules<Document, Record> parameter_rules(const ParameterTable<Point>& parameters,
                                           const FieldTable<Record>& fields) {
  RowRules<Document, Record> rules;
  for (const Parameter<Point>& parameter : parameters) {
    const ParameterUse& use = parameter.use;
    if (!use.is_in_file || use.on_difference == kNoEffect) continue;
    const auto read = [&parameter, used = fields.find(use.used)](const auto& source) -> std::string {
      const bool is_of_name = parameter.use.in_name != IdentityKey::InName::kNever;
      if (source.document().published && !is_of_name) return "";
      if (used != nullptr) return to_text(used->get(source.typical()));
      return to_text(parameter.get(source.typical())) + (parameter.unit.empty() ? "" : " " + parameter.unit);
    };
    const std::string name = *use.difference == '\0' ? parameter.label : use.difference;
    rules.push_back({{.name = name, .effects = use.on_difference, .is_choice = use.is_choice}, read});
  }
  return rules;
}

using CaseSource = RowSource<RunRecord, CaseRecord>;
using CaseRules = RowRules<RunRecord, CaseRecord>;

/// "files 1a2b3c4d", by the checksums of the first files; "synthetic"; empty if unknown.
std::string describe_data(const CaseSource& source) {
  if (source.typical().is_synthetic) return "synthetic";
  std::string digest;
  for (const DatasetRecord& dataset : source.document().environment.datasets) {
    if (dataset.name != source.typical().dataset) continue;
    for (const DataFileRecord& file : dataset.files) digest += file.sha256.substr(0, 8);
  }
  return digest.empty() ? "" : "files " + digest.substr(0, 8);
}

/// "no" if the epochs of any repetition still became faster or slower; empty if all have too few epochs.
std::string describe_steadiness(const CaseSource& source) {
  std::string text;
  for (const CaseRecord* record : source.repetitions.good) {
    const Measured<bool> is_level = is_steady(*record);
    if (is_level.has_value() && text != "no") text = yes_or_no(is_level.value());
  }
  return text;
}

template <class Source>
std::string describe_disturbance(const Source& source) {
  return yes_or_no(source.repetitions.has_warnings);
}

/// Devices count one network differently: a fused LSTM computes a gradient that others leave out.
bool have_similar_flop(const RowFigures& left, const RowFigures& right) {
  constexpr double kTolerance = 0.01;
  return std::abs(left.train_flop - right.train_flop) <=
         kTolerance * std::max(left.train_flop, right.train_flop);
}

bool is_biased(const RowFigures& row) { return row.energy.method == to_string(EnergyMethod::kSpikeQ30); }
bool is_replayed(const RowFigures& row) { return row.energy.meter == "replay"; }

/// "nvml of RTX 2070"
std::string describe_sensor(const CaseSource& source) {
  const std::string& meter = source.figures.energy.meter;
  const auto& devices = source.document().environment.devices;
  const auto device = std::ranges::find(devices, source.typical().device, &DeviceRecord::name);
  return meter.empty() ? "" : fmt::format("{} of {}", meter, device == devices.end() ? "" : device->model);
}

/// Returns a reader of text about an energy; the text is empty without an energy.
template <class Read>
auto of_energy(Read read) {
  return [read](const CaseSource& source) -> std::string {
    if (!source.figures.epoch_joules.has_value()) return "";
    const std::string text = read(source.figures);
    return text.empty() ? "not told" : text;
  };
}

/// Returns a reader of what publications do not state.
template <class Read>
auto of_run(Read read) {
  return [read](const CaseSource& source) {
    return source.document().published ? std::string() : read(source.typical());
  };
}

/// Returns the conditions of a case that are no parameters, the most important first.
CaseRules case_facts() {
  using S = CaseSource;
  using C = CaseRecord;
  using R = RowFigures;
  return {
      {{.name = "parameters", .effects = kRefusedOnAll},
       of_run([](const C& c) { return text_in(c.parameters); })},
      {{.name = "forward MACs", .effects = kRefusedOnAll},
       of_run([](const C& c) { return text_in(c.forward_macs); })},
      {{.name = "disturbed", .effects = kOnTimeAndEnergy, .doubtful = {"yes"}}, describe_disturbance<S>},
      {{.name = "stable times", .effects = kOnTimeAndEnergy, .doubtful = {"no"}}, describe_steadiness},
      {{.name = "samples per epoch", .effects = {kRefused, kRefused, kCaveat, kRefused, kRefused}},
       [](const S& s) { return s.figures.identity.at("train_samples"); }},
      {{.name = "data", .effects = {kCaveat, kComparable, kComparable, kRefused, kCaveat}}, describe_data},
      {{.name = "optimizer", .effects = {kCaveat, kComparable, kCaveat, kCaveat, kCaveat}},
       [](const S& s) { return s.typical().optimizer; }},
      {{.name = "training FLOP", .effects = kOnTimeAndEnergy, .is_ignored = have_similar_flop},
       [](const S& s) {
         return s.figures.train_flop > 0 ? prefixed_text(s.figures.train_flop, "FLOP") : std::string();
       }},
      {{.name = "last batch dropped", .effects = {kCaveat, kComparable, kComparable, kCaveat, kCaveat}},
       [](const S& s) { return yes_or_no(s.typical().is_last_batch_dropped); }},
      {{.name = "epochs trained", .effects = {kComparable, kComparable, kComparable, kRefused, kComparable}},
       [](const S& s) {
         const std::size_t epochs = s.typical().epoch_seconds.size();
         return epochs > 0 ? std::to_string(epochs) : "";
       }},
      {{.name = "stopping rule", .effects = kOnTimeAndEnergy},
       of_run([](const C& c) { return text_in(c.stopped_by); })},
      {{.name = "warm-up", .effects = kOnTimeAndEnergy},
       of_run([](const C& c) { return yes_or_no(c.warmup_epochs > 0); })},
      {{.name = "energy scope",
        .effects = {kComparable, kComparable, kComparable, kComparable, kRefused},
        .doubtful = {"unknown", "published"}},
       of_energy([](const R& row) { return row.energy.scope; })},
      // A counter and samples of power agree, except for the method that is biased upward.
      {{.name = "energy method",
        .effects = kOnEnergy,
        .is_ignored = [](const R& left, const R& right) { return is_biased(left) == is_biased(right); }},
       of_energy(
           [](const R& row) { return row.energy.method + (is_biased(row) ? " (biased upward)" : ""); })},
      // No machine drew the power of a replay.
      {{.name = "power meter",
        .effects = kOnEnergy,
        .doubtful = {"replay"},
        .is_ignored = [](const R& left,
                         const R& right) { return !is_replayed(left) && !is_replayed(right); }},
       of_energy([](const R& row) { return row.energy.meter; })},
      {{.name = "power sensor", .effects = kOnEnergy}, describe_sensor}};
}

const CaseRules& case_rules() {
  static const CaseRules rules = [] {
    CaseRules all = parameter_rules<RunRecord>(train_parameters(), case_fields());
    append(all, case_facts());
    return all;
  }();
  return rules;
}

const RowRules<OpsRecord, OpRecord>& op_rules() {
  static const RowRules<OpsRecord, OpRecord> rules = [] {
    auto all = parameter_rules<OpsRecord>(op_parameters(), op_fields());
    all.push_back({{.name = "disturbed", .effects = kOnTimeAndEnergy, .doubtful = {"yes"}},
                   describe_disturbance<RowSource<OpsRecord, OpRecord>>});
    return all;
  }();
  return rules;
}

template <class Side, class Source>
void read_all(Side& side, const std::vector<ReadRule<Side, Source>>& rules, const Source& source) {
  side.conditions = mapped(rules, [&](const ReadRule<Side, Source>& rule) {
    return Condition<Side>{&rule, rule.read(source)};
  });
}

/// Compares conditions by position: both sides have those of one table.
template <class Side>
std::vector<Difference> compare_conditions(const Side& left, const Side& right) {
  std::vector<Difference> all;
  for (std::size_t i = 0; i < std::min(left.conditions.size(), right.conditions.size()); ++i) {
    const auto& [rule, value] = left.conditions[i];
    const std::string& other = right.conditions[i].value;
    if (value.empty() || other.empty()) continue;
    const auto is_doubtful = [&doubtful = rule->doubtful](const std::string& one) {
      return std::ranges::find(doubtful, one) != doubtful.end();
    };
    const bool has_doubt = is_doubtful(value) || is_doubtful(other);
    if (value == other && !has_doubt) continue;
    if (rule->is_ignored != nullptr && rule->is_ignored(left, right)) continue;
    Difference difference{rule->name, value, other, rule->effects, rule->is_choice && value != other};
    for (Comparability& effect : difference.effect) effect = has_doubt ? std::min(effect, kCaveat) : effect;
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

void set_conditions(RowFigures& row, const Repetitions<RunRecord, CaseRecord>& repetitions) {
  read_all(row, case_rules(), {repetitions, row});
}

void set_conditions(RowFigures& row, const Repetitions<OpsRecord, OpRecord>& repetitions) {
  read_all(row, op_rules(), {repetitions, row});
}

void set_conditions(Candidate& candidate, const RunRecord& run) {
  read_all(candidate, machine_rules(), {candidate, run.tool, run.environment, &run, nullptr});
}

void set_conditions(Candidate& candidate, const OpsRecord& ops) {
  read_all(candidate, machine_rules(), {candidate, ops.tool, ops.environment, nullptr, &ops});
}

std::vector<Difference> differences(const Candidate& left, const Candidate& right) {
  std::vector<Difference> all = compare_conditions(left, right);
  append(all, order_difference(left, right));
  return all;
}

std::vector<Difference> differences(const RowFigures& left, const RowFigures& right) {
  return compare_conditions(left, right);
}

std::vector<Difference> with_choices(std::vector<Difference> differences) {
  for (Difference& difference : differences) {
    if (difference.is_choice) difference.effect = kNoEffect;
  }
  return differences;
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
