#include "compare/comparability.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/energy_record.h"

namespace gpubench {
namespace {

using Effect = std::array<Comparability, kMetrics>;

constexpr Comparability kFine = Comparability::kComparable;
constexpr Comparability kMind = Comparability::kCaveat;
constexpr Comparability kNever = Comparability::kRefused;

/// Something to look at, and what it does where it differs: to time, start-up, memory, accuracy, energy.
template <class Subject>
struct Rule {
  std::string what;
  std::function<std::string(const Subject&)> value;
  Effect effect;
  std::string doubtful{};  ///< A value that does so too where both sides have it.
  bool (*applies)(const Subject&, const Subject&) = nullptr;  ///< Null: always.
};

/// How the same work may be done, what matters less coming first.
constexpr std::array<std::string_view, 6> kModeKeys = {"execution", "layout",        "loader",
                                                       "protocol",  "train_samples", "precision"};

/// What sides in alternation may differ in on purpose.
constexpr std::array<std::string_view, 12> kIntendedDifferences = {
    "precision", "batch size",      "loader",   "execution",      "layout",    "threads",
    "gpubench",  "gpubench commit", "LibTorch", "LibTorch build", "allocator", "available cores"};

/// What is to be minded though both sides have it is none.
bool is_choice(const Difference& difference) {
  return difference.left != difference.right &&
         std::ranges::find(kIntendedDifferences, difference.what) != kIntendedDifferences.end();
}

std::string yes_or_no(bool is_true) { return is_true ? "yes" : "no"; }

std::string count_text(std::int64_t count) { return count > 0 ? std::to_string(count) : ""; }

/// What only matters where the CPU trains.
std::string of_cpu(const Candidate& candidate, const std::string& text) {
  return is_cpu(candidate) ? text : "";
}

std::string data_text(const RowFigures& figures) {
  if (figures.dataset_digest.empty() || figures.dataset_digest == "synthetic") return figures.dataset_digest;
  return "files " + figures.dataset_digest.substr(0, 8);
}

/// Machines of unlike models have unlike drivers and limits: that is a part of what is compared.
bool are_of_one_model(const Candidate& left, const Candidate& right) {
  return left.device.model == right.device.model;
}

/// Kernels of different devices count differently what is the same network: a fused LSTM, for one, computes
/// a gradient that others leave out.
bool is_other_work(const RowFigures& left, const RowFigures& right) {
  constexpr double kTolerance = 0.01;
  return std::abs(left.train_flop - right.train_flop) >
         kTolerance * std::max(left.train_flop, right.train_flop);
}

std::string flop_text(const RowFigures& figures) {
  return figures.train_flop > 0 ? prefixed_text(figures.train_flop, "FLOP") : "";
}

std::string find_driver(const Candidate& candidate) {
  return candidate.device.driver.has_value() ? candidate.device.driver.value() : "";
}

std::string format_cores(const Candidate& candidate) {
  return candidate.available_cores > 0 ? of_cpu(candidate, fmt::format("{:g}", candidate.available_cores))
                                       : "";
}

/// A part of what was asked of the row.
auto part(std::string_view key) {
  return [key](const RowFigures& figures) { return figures.identity.at(key); };
}

const std::vector<Rule<Candidate>>& contender_rules() {
  using C = Candidate;
  static const std::vector<Rule<C>> rules = {
      {"protocol",
       [](const C& c) { return c.publication.empty() ? "gpubench" : "published, other protocol"; },
       {kMind, kMind, kMind, kMind, kMind}},
      {"gpubench", &C::gpubench_version, {kMind, kMind, kMind, kFine, kMind}, kAnotherProgram},
      {"gpubench commit", &C::gpubench_commit, {kMind, kMind, kMind, kFine, kMind}},
      {"LibTorch", &C::libtorch_version, {kMind, kMind, kMind, kFine, kMind}},
      {"LibTorch build", &C::libtorch_build, {kMind, kMind, kMind, kFine, kMind}},
      {"driver", find_driver, {kMind, kMind, kMind, kFine, kMind}, "", are_of_one_model},
      {"power limit", &C::power_limit, {kMind, kFine, kFine, kFine, kMind}, "", are_of_one_model},
      {"available cores", format_cores, {kMind, kMind, kFine, kFine, kMind}, "", are_of_one_model},
      {"threads",
       [](const C& c) { return of_cpu(c, count_text(c.threads)); },
       {kMind, kMind, kFine, kFine, kMind}},
      {"allocator", [](const C& c) { return of_cpu(c, c.allocator); }, {kMind, kMind, kMind, kFine, kMind}},
      {"waiting threads",
       [](const C& c) { return of_cpu(c, c.wait_policy); },
       {kMind, kMind, kMind, kFine, kMind}},
      {"protocol of calls", &C::call_protocol, {kMind, kFine, kFine, kFine, kFine}},
      {"isolation", &C::isolation, {kFine, kMind, kMind, kFine, kFine}},
  };
  return rules;
}

const std::vector<Rule<RowFigures>>& row_rules() {
  using F = RowFigures;
  static const std::vector<Rule<F>> rules = {
      {"precision", part("precision"), {kNever, kNever, kNever, kNever, kNever}},
      {"model", part("model"), {kNever, kNever, kNever, kNever, kNever}},
      {"sizes", part("sizes"), {kNever, kNever, kNever, kNever, kNever}},
      {"batch size", part("batch_size"), {kMind, kMind, kMind, kMind, kMind}},
      {"parameters", &F::parameters, {kNever, kNever, kNever, kNever, kNever}},
      {"forward MACs", &F::forward_macs, {kNever, kNever, kNever, kNever, kNever}},
      {"training FLOP", flop_text, {kMind, kFine, kFine, kFine, kMind}, "", is_other_work},
      {"samples an epoch", part("train_samples"), {kNever, kNever, kMind, kNever, kNever}},
      {"protocol of timing", part("protocol"), {kMind, kNever, kFine, kFine, kMind}},
      {"loader", part("loader"), {kMind, kMind, kMind, kFine, kMind}},
      {"execution", &F::execution_used, {kMind, kMind, kMind, kFine, kMind}},
      {"layout", &F::layout_used, {kMind, kFine, kMind, kFine, kMind}},
      {"optimizer", &F::optimizer, {kMind, kFine, kMind, kMind, kMind}},
      {"data", data_text, {kMind, kFine, kFine, kNever, kMind}},
      {"last batch dropped",
       [](const F& f) { return yes_or_no(f.is_last_batch_dropped); },
       {kMind, kFine, kFine, kMind, kMind}},
      {"epochs trained",
       [](const F& f) { return count_text(f.epochs); },
       {kFine, kFine, kFine, kNever, kFine}},
      {"disturbed",
       [](const F& f) { return yes_or_no(f.has_warnings); },
       {kMind, kFine, kFine, kFine, kMind},
       "yes"},
      {"stable times", &F::is_steady, {kMind, kFine, kFine, kFine, kMind}, "no"},
      {"timed for at least", &F::least_timed, {kMind, kFine, kFine, kFine, kMind}},
      {"stopped by", &F::stopped_by, {kMind, kFine, kFine, kFine, kMind}},
      {"warm-up", &F::warm_up, {kMind, kFine, kFine, kFine, kMind}},
  };
  return rules;
}

/// What a file does not tell differs from nothing: an older gpubench or a publication may leave it out.
template <class Subject>
std::vector<Difference> found(const std::vector<Rule<Subject>>& rules, const Subject& left,
                              const Subject& right) {
  std::vector<Difference> all;
  for (const Rule<Subject>& rule : rules) {
    const std::string a = rule.value(left);
    const std::string b = rule.value(right);
    if (a.empty() || b.empty() || (rule.applies != nullptr && !rule.applies(left, right))) continue;
    if (a != b || a == rule.doubtful) all.push_back({rule.what, a, b, rule.effect});
  }
  return all;
}

bool has_rounds(const Candidate& candidate) {
  return std::ranges::any_of(
      candidate.rows, [](const RowFigures& row) { return row.process_seconds.size() >= kEnoughProcesses; });
}

/// Rounds tell how a machine differs from time to time only where both sides went through the same times.
std::vector<Difference> order_difference(const Candidate& left, const Candidate& right) {
  const bool is_one_host = left.host == right.host;
  if (!is_one_host || find_measuring(left, right) != Measuring::kApart) return {};
  if (!has_rounds(left) || !has_rounds(right)) return {};
  const Effect effect{kMind, kFine, kFine, kFine, kMind};
  if (is_before(left, right)) return {{"order of measuring", "ran first", "ran afterwards", effect}};
  return {{"order of measuring", "ran afterwards", "ran first", effect}};
}

/// What all rows of both candidates are, and not the same on both sides: "precision amp-bf16" of the first.
void add_common_parts(const Candidate& one, const Candidate& other, std::vector<std::string>& words) {
  const auto is_of_all = [](const Candidate& candidate, std::string_view key, const std::string& value) {
    return std::ranges::all_of(candidate.rows,
                               [&](const RowFigures& row) { return row.identity.at(key) == value; });
  };
  if (one.rows.empty() || other.rows.empty()) return;
  const RowIdentity asked = one.rows.front().identity.without({"device"});
  for (const RowIdentity::Part& part : asked.parts()) {
    const std::string& its_value = other.rows.front().identity.at(part.key->name);
    if (part.value != its_value && is_of_all(one, part.key->name, part.value) &&
        is_of_all(other, part.key->name, its_value)) {
      std::string name(part.key->name);
      std::ranges::replace(name, '_', ' ');
      add_once(words, name + " " + part.value);
    }
  }
}

/// What is looked at, and what it does to a comparison of energies. Unlike other rules these do not let pass
/// what a file does not tell: that two sources of power include the same has to be known.
struct EnergyRule {
  const char* what;
  std::string EnergyFigures::*value;
  Comparability (*judge)(const std::string& left, const std::string& right);
};

/// What the scope of a log or of a publication is, nobody has told.
bool is_known(const std::string& scope) { return scope != "unknown" && scope != "published"; }

Comparability judge_scopes(const std::string& left, const std::string& right) {
  if (!is_known(left) || !is_known(right)) return Comparability::kCaveat;
  return left == right ? Comparability::kComparable : Comparability::kRefused;
}

/// A counter and samples of power tell the same, but for the method that is biased upward.
Comparability judge_methods(const std::string& left, const std::string& right) {
  const std::string biased = to_string(EnergyMethod::kSpikeQ30);
  return (left == biased) == (right == biased) ? Comparability::kComparable : Comparability::kCaveat;
}

/// What was replayed, no machine drew.
Comparability judge_meters(const std::string& left, const std::string& right) {
  return left == "replay" || right == "replay" ? Comparability::kCaveat : Comparability::kComparable;
}

constexpr std::array kEnergyRules = {EnergyRule{"energy scope", &EnergyFigures::scope, judge_scopes},
                                     EnergyRule{"energy method", &EnergyFigures::method, judge_methods},
                                     EnergyRule{"power meter", &EnergyFigures::meter, judge_meters}};

std::string told(const std::string& value) {
  if (value == to_string(EnergyMethod::kSpikeQ30)) return value + " (biased upward)";
  return value.empty() ? "not told" : value;
}

/// What differs, or is not known to be alike, between the energies of two cases. Nothing where a side has
/// none.
std::vector<Difference> energy_differences(const RowFigures& left, const RowFigures& right) {
  std::vector<Difference> all;
  if (!left.epoch_joules.has_value() || !right.epoch_joules.has_value()) return all;
  for (const EnergyRule& rule : kEnergyRules) {
    const std::string& a = left.energy.*rule.value;
    const std::string& b = right.energy.*rule.value;
    Difference difference{rule.what, told(a), told(b), {}};
    difference.effect[static_cast<std::size_t>(Metric::kEnergy)] = rule.judge(a, b);
    if (difference.on(Metric::kEnergy) != Comparability::kComparable) all.push_back(std::move(difference));
  }
  return all;
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

std::vector<Difference> differences(const Candidate& left, const Candidate& right) {
  std::vector<Difference> all = found(contender_rules(), left, right);
  append(all, order_difference(left, right));
  return all;
}

std::vector<Difference> differences(const RowFigures& left, const RowFigures& right) {
  std::vector<Difference> all = found(row_rules(), left, right);
  append(all, energy_differences(left, right));
  return all;
}

std::vector<Difference> with_choices(std::vector<Difference> differences) {
  for (Difference& difference : differences) {
    if (is_choice(difference)) difference.effect = {};
  }
  return differences;
}

std::string describe_distinction(const Candidate& one, const std::vector<Candidate>& all) {
  std::vector<std::string> words;
  for (const Candidate& other : all) {
    if (!are_in_alternation(one, other)) continue;
    add_common_parts(one, other, words);
    for (const Difference& difference : differences(one, other)) {
      if (is_choice(difference)) add_once(words, difference.what + " " + difference.left);
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
  Comparability worst = Comparability::kComparable;
  for (const Difference& difference : differences) worst = std::max(worst, difference.on(metric));
  return worst;
}

RowIdentity to_work(const RowIdentity& identity) { return identity.without(kModeKeys).without({"device"}); }

int distance(const RowIdentity& left, const RowIdentity& right) {
  // Powers of two: no number of lesser differences outweighs a greater one.
  int sum = 0;
  for (std::size_t i = 0; i < kModeKeys.size(); ++i)
    sum += left.at(kModeKeys[i]) != right.at(kModeKeys[i]) ? 1 << i : 0;
  return sum;
}

const RowFigures* find_nearest_row(const RowIdentity& identity,
                                   const std::vector<const RowFigures*>& candidates) {
  const auto nearest = std::ranges::min_element(
      candidates, {}, [&](const RowFigures* other) { return distance(identity, other->identity); });
  return nearest == candidates.end() ? nullptr : *nearest;
}

}  // namespace gpubench
