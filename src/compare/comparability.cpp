#include "compare/comparability.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/record/energy_record.h"

namespace gpubench {
namespace {

using Effect = std::array<Comparability, kAllMetrics.size()>;

constexpr Comparability kFine = Comparability::kComparable;
constexpr Comparability kMind = Comparability::kCaveat;
constexpr Comparability kNever = Comparability::kRefused;

constexpr Effect kWhole = {kNever, kNever, kNever, kNever, kNever};
constexpr Effect kAll = {kMind, kMind, kMind, kMind, kMind};
constexpr Effect kAllButAccuracy = {kMind, kMind, kMind, kFine, kMind};
constexpr Effect kTimeAndEnergy = {kMind, kFine, kFine, kFine, kMind};

/// A condition and its effect on time, start-up, memory, accuracy and energy if it differs.
struct Rule {
  std::string_view what;  ///< Name of the fact.
  Effect effect;
  std::string_view key = {};       ///< Part of the identity that is compared instead of a fact.
  std::string_view doubtful = {};  ///< A value that has the effect also where both sides have it.
  bool is_of_one_model = false;    ///< Ignored between unlike models of devices, which are compared.
};

/// The most important first. Cautions say "different" before each name.
constexpr Rule kCandidateRules[] = {
    {"protocol", kAll},
    {"thread count", {kMind, kMind, kFine, kFine, kMind}},
    {"available cores", {kMind, kMind, kFine, kFine, kMind}, {}, {}, true},
    {"power limit", kTimeAndEnergy, {}, {}, true},
    {"LibTorch", kAllButAccuracy},
    {"LibTorch build", kAllButAccuracy},
    {"driver", kAllButAccuracy, {}, {}, true},
    {"gpubench", kAllButAccuracy, {}, kAnotherProgram},
    {"gpubench commit", kAllButAccuracy},
    {"allocator", kAllButAccuracy},
    {"wait policy", kAllButAccuracy},
    {"protocol of calls", {kMind, kFine, kFine, kFine, kFine}},
    {"isolation", {kFine, kMind, kMind, kFine, kFine}},
};

constexpr Rule kRowRules[] = {
    {"precision", kWhole, "precision"},
    {"model", kWhole, "model"},
    {"sizes", kWhole, "sizes"},
    {"parameters", kWhole},
    {"forward MACs", kWhole},
    {"disturbed", kTimeAndEnergy, {}, "yes"},
    {"stable times", kTimeAndEnergy, {}, "no"},
    {"samples per epoch", {kNever, kNever, kMind, kNever, kNever}, "train_samples"},
    {"protocol of timing", {kMind, kNever, kFine, kFine, kMind}, "protocol"},
    {"batch size", kAll, "batch_size"},
    {"execution", kAllButAccuracy},
    {"layout", {kMind, kFine, kMind, kFine, kMind}},
    {"loader", kAllButAccuracy, "loader"},
    {"data", {kMind, kFine, kFine, kNever, kMind}},
    {"optimizer", {kMind, kFine, kMind, kMind, kMind}},
    {"training FLOP", kTimeAndEnergy},
    {"last batch dropped", {kMind, kFine, kFine, kMind, kMind}},
    {"epochs trained", {kFine, kFine, kFine, kNever, kFine}},
    {"minimum time", kTimeAndEnergy},
    {"stopping rule", kTimeAndEnergy},
    {"warm-up", kTimeAndEnergy},
};

/// Modes of the same work, the least important first.
constexpr std::array<std::string_view, 6> kModeKeys = {"execution", "layout",        "loader",
                                                       "protocol",  "train_samples", "precision"};

/// Intended differences of sides in alternation.
constexpr std::array<std::string_view, 12> kIntendedDifferences = {
    "precision", "batch size",      "loader",   "execution",      "layout",    "thread count",
    "gpubench",  "gpubench commit", "LibTorch", "LibTorch build", "allocator", "available cores"};

/// Conditions that both sides have are never intended differences.
bool is_choice(const Difference& difference) {
  return difference.left != difference.right &&
         std::ranges::find(kIntendedDifferences, difference.what) != kIntendedDifferences.end();
}

/// Devices count one network differently: a fused LSTM computes a gradient that others leave out.
bool is_other_work(const RowFigures& left, const RowFigures& right) {
  constexpr double kTolerance = 0.01;
  return std::abs(left.train_flop - right.train_flop) >
         kTolerance * std::max(left.train_flop, right.train_flop);
}

/// Adds a difference of two texts. An unstated one never differs: an older gpubench may leave it out.
void add_difference(std::vector<Difference>& all, const Rule& rule, const std::string& left,
                    const std::string& right) {
  if (left.empty() || right.empty()) return;
  if (left != right || left == rule.doubtful)
    all.push_back({std::string(rule.what), left, right, rule.effect});
}

const std::string& find_fact(const Facts& facts, std::string_view what) {
  static const std::string kUnknown;
  const auto found = facts.find(what);
  return found == facts.end() ? kUnknown : found->second;
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
           is_left_first ? "ran afterwards" : "ran first", kTimeAndEnergy}};
}

std::string energy_text(const std::string& value) {
  if (value == to_string(EnergyMethod::kSpikeQ30)) return value + " (biased upward)";
  return value.empty() ? "not told" : value;
}

/// Returns differences of two energies. An unstated scope is a caveat: unlike scopes do not compare.
std::vector<Difference> energy_differences(const RowFigures& left, const RowFigures& right) {
  std::vector<Difference> all;
  if (!left.epoch_joules.has_value() || !right.epoch_joules.has_value()) return all;
  const auto add = [&](const char* what, const std::string& a, const std::string& b, Comparability effect) {
    if (effect != kFine)
      all.push_back({what, energy_text(a), energy_text(b), {kFine, kFine, kFine, kFine, effect}});
  };
  const EnergyFigures& a = left.energy;
  const EnergyFigures& b = right.energy;
  const auto is_known = [](const std::string& scope) { return scope != "unknown" && scope != "published"; };
  add("energy scope", a.scope, b.scope,
      !is_known(a.scope) || !is_known(b.scope) ? kMind
      : a.scope == b.scope                     ? kFine
                                               : kNever);
  // A counter and samples of power agree, except for the method that is biased upward.
  const std::string biased = to_string(EnergyMethod::kSpikeQ30);
  add("energy method", a.method, b.method, (a.method == biased) == (b.method == biased) ? kFine : kMind);
  // No machine drew the power of a replay.
  add("power meter", a.meter, b.meter, a.meter == "replay" || b.meter == "replay" ? kMind : kFine);
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
  std::vector<Difference> all;
  for (const Rule& rule : kCandidateRules) {
    if (!rule.is_of_one_model || left.device.model == right.device.model)
      add_difference(all, rule, find_fact(left.facts, rule.what), find_fact(right.facts, rule.what));
  }
  append(all, order_difference(left, right));
  return all;
}

std::vector<Difference> differences(const RowFigures& left, const RowFigures& right) {
  std::vector<Difference> all;
  for (const Rule& rule : kRowRules) {
    if (!rule.key.empty())
      add_difference(all, rule, left.identity.at(rule.key), right.identity.at(rule.key));
    else if (rule.what != "training FLOP" || is_other_work(left, right))
      add_difference(all, rule, find_fact(left.facts, rule.what), find_fact(right.facts, rule.what));
  }
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
    std::vector<Difference> found;
    for (std::size_t i = 0; i < std::min(one.rows.size(), other.rows.size()); ++i)
      append(found, differences(one.rows[i], other.rows[i]));
    append(found, differences(one, other));
    for (const Difference& difference : found) {
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
