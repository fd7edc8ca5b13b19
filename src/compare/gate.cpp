#include "compare/gate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/stats/change_points.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

constexpr double kLevel = 0.025;                 // Probability beyond one end of a 95 % interval.
constexpr std::int64_t kMostRepetitions = 1000;  // Most repeats that are recommended to decide a case.

struct Suspect {
  explicit Suspect(GateCase& judged)
      : row(judged), distance(std::log(row.loss.value / (1 + row.limit.threshold))) {
    if (!row.loss.interval.has_value() || distance == 0) return;
    const auto [low, high] = row.loss.interval.value();
    arm = std::log(distance > 0 ? row.loss.value / low : high / row.loss.value);
    quantile = student_quantile(row.freedom);
  }

  /// Returns the chance of this distance in one direction, assuming `growth` times as many processes.
  double chance(double growth = 1) const {
    if (distance == 0 || quantile == 0) return 1;
    const double of_runs = row.noise_arm * row.noise_arm;
    const double kept = growth == 1 ? arm : std::sqrt((arm * arm - of_runs) / growth + of_runs);
    return kept > 0 ? student_p_value(std::abs(distance) / kept * quantile, growth * row.freedom) / 2 : 0;
  }

  GateCase& row;
  double distance;      ///< Logarithm of the loss over its limit; negative below the limit.
  double arm = 0;       ///< Half-width of the interval towards the limit, in logarithms.
  double quantile = 0;  ///< 95 % quantile that the arm contains; 0 without an interval.
};

/// Returns the repetitions at which the chance of a false verdict falls to `level`.
std::int64_t repetitions_to_decide(const Suspect& suspect, double level) {
  const GateCase& row = suspect.row;
  if (row.verdict != GateVerdict::kInconclusive || suspect.quantile == 0) return 0;
  const auto now = static_cast<double>(row.repetitions);
  for (std::int64_t more = row.repetitions + 1; more <= kMostRepetitions; ++more) {
    if (suspect.chance(static_cast<double>(more) / now) <= level) return more;
  }
  return 0;
}

/// Adds a sentence per difference in settings that is not allowed.
void add_settings(const CandidatePair& versus, const std::vector<std::string>& allowed,
                  std::vector<std::string>& sentences) {
  std::vector<Difference> differences = compare_conditions(versus.base->conditions, versus.other->conditions);
  for (const Pair& pair : versus.pairs) append(differences, pair.differences);
  for (const Difference& difference : differences) {
    const std::string name = setting_name(difference.what);
    if (!difference.is_setting || std::ranges::find(allowed, name) != allowed.end()) continue;
    if (difference.is_choice && versus.is_interleaved()) continue;
    const std::string what = difference.what == kChangedFile
                                 ? "content_sha256 does not match; run 'gpubench file validate', or"
                                 : fmt::format("Different {};", format_sentence(difference, versus));
    add_once(sentences, fmt::format("{} accept it with --allow {}", what, name));
  }
}

/// Pairs of the baseline that are ok on both sides, with their names.
struct NamedPair {
  std::string name;
  const Pair* pair;
};

/// Returns the pairs to judge, and reports failed and missing rows.
std::vector<NamedPair> list_pairs(const Comparison& comparison, GateReport& report) {
  std::vector<NamedPair> pairs;
  const RowNames names(make_identities(comparison.candidates));
  for (const CandidatePair& versus : comparison.versus_baseline) {
    const std::string who = comparison.versus_baseline.size() == 1 ? "" : pair_name(versus) + ", ";
    for (const Pair& pair : versus.pairs) {
      if (pair.base == nullptr || !pair.base->is_ok) continue;
      const std::string name = who + names.of(pair.base->identity);
      if (pair.other == nullptr)
        report.obstacles.push_back(name + ": missing");
      else if (pair.other->is_ok)
        pairs.push_back({name, &pair});
      else
        report.failures.push_back(
            fmt::format("{}: was ok, now {} ({})", name, pair.other->status, pair.other->status_reason));
    }
  }
  return pairs;
}

/// Returns the cases with a ratio of the limit's metric, and reports the others.
GateGroup make_group(const GateLimit& limit, const std::vector<NamedPair>& pairs, GateReport& report) {
  GateGroup group;
  std::vector<RowRatio> losses;
  for (const auto& [name, pair] : pairs) {
    const Measured<RowRatio> ratio = find_ratio(limit.metric, *pair);
    if (!ratio.has_value()) {
      report.obstacles.push_back(name + ": " + ratio.reason());
      continue;
    }
    const RowRatio& gain = ratio.value();
    // The threshold covers changes of the machine between candidates measured apart.
    const Measuring measuring = gain.measuring == Measuring::kApart ? Measuring::kMixed : gain.measuring;
    const RowRatio& loss =
        losses.emplace_back(make_ratio(gain.other, gain.base, *gain.over->metric, measuring));
    group.cases.push_back({name, limit, loss.ratio, loss.freedom,
                           std::min(pair->base->processes, pair->other->processes), loss.noise_arm});
  }
  if (losses.empty()) return group;
  const std::int64_t fewest = std::ranges::min(mapped(group.cases, &GateCase::repetitions));
  const double freedom = std::ranges::min(mapped(losses, &RowRatio::freedom));
  const double noise_arm = summarize(mapped(losses, &RowRatio::noise_arm)).mean;
  group.mean = {"geometric mean", limit, compute_mean(losses), freedom, std::min(fewest, kMostRepetitions),
                noise_arm};
  return group;
}

}  // namespace

GateReport judge(std::vector<GateGroup> groups) {
  std::vector<Suspect> suspects;
  for (GateGroup& group : groups) {
    for (GateCase& one : group.cases) suspects.emplace_back(one);
    if (group.cases.size() > 1) suspects.emplace_back(group.mean);
  }
  const std::vector<double> adjusted = adjust_by_holm(
      mapped(suspects, [](const Suspect& one) { return one.distance > 0 ? one.chance() : 1; }));
  const auto left = std::ranges::count_if(adjusted, [](double p_value) { return p_value > kLevel; });
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    const Suspect& suspect = suspects[i];
    if (adjusted[i] <= kLevel) suspect.row.verdict = GateVerdict::kRegression;
    if (suspect.distance < 0 && suspect.chance() <= kLevel) suspect.row.verdict = GateVerdict::kPass;
    // The next regression needs the level that Holm's procedure has reached; passing needs no correction.
    const double level = suspect.distance > 0 ? kLevel / static_cast<double>(left) : kLevel;
    suspect.row.repetitions_to_decide = repetitions_to_decide(suspect, level);
  }
  bool passes = std::ranges::none_of(suspects, [](const Suspect& one) { return one.distance >= 0; });
  for (GateGroup& group : groups) {
    if (group.cases.size() == 1) group.mean = group.cases.front();
    passes = passes && group.mean.verdict == GateVerdict::kPass;
  }
  if (left < std::ssize(suspects)) return {GateVerdict::kRegression, std::move(groups)};
  return {passes ? GateVerdict::kPass : GateVerdict::kInconclusive, std::move(groups)};
}

std::vector<std::string> setting_names() {
  RunRecord run;
  run.cases.emplace_back();
  const Candidate candidate = make_candidates(run, "").front();
  Conditions settings = candidate.conditions;
  append(settings, candidate.rows.front().conditions);
  std::erase_if(settings, [](const Condition& condition) { return !condition.is_setting; });
  return mapped(settings, [](const Condition& condition) { return setting_name(condition.name); });
}

void require_setting(const std::string& name, const std::string& option) {
  const std::vector<std::string> known = setting_names();
  if (std::ranges::find(known, name) == known.end()) throw_unknown_name(option, "setting", name, known);
}

GateReport gate(const Comparison& comparison, const std::vector<GateLimit>& limits,
                const std::vector<std::string>& allowed) {
  GateReport report{GateVerdict::kIncomparable};
  for (const CandidatePair& versus : comparison.versus_baseline)
    add_settings(versus, allowed, report.obstacles);
  if (!report.obstacles.empty()) return report;
  const std::vector<NamedPair> pairs = list_pairs(comparison, report);
  std::vector<GateGroup> groups;
  for (const GateLimit& limit : limits) {
    GateGroup group = make_group(limit, pairs, report);
    if (!group.cases.empty()) groups.push_back(std::move(group));
  }
  GateReport judged{GateVerdict::kIncomparable};
  if (!groups.empty()) judged = judge(std::move(groups));
  report.groups = std::move(judged.groups);
  if (!report.failures.empty())
    report.answer = GateVerdict::kRegression;
  else if (report.obstacles.empty() || judged.answer == GateVerdict::kRegression)
    report.answer = judged.answer;
  return report;
}

}  // namespace gpubench
