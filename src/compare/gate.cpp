#include "compare/gate.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
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
  double distance;        ///< Logarithm of the loss over its limit; negative below the limit.
  double arm = 0;         ///< Half-width of the interval towards the limit, in logarithms.
  double quantile = 0;    ///< 95 % quantile that the arm contains; 0 without an interval.
  double level = kLevel;  ///< Probability of a false verdict that the case may have.
};

/// Marks regressions by Holm's procedure: the clearest first, at the level divided by the remaining cases.
void find_regressions(std::vector<Suspect>& suspects) {
  std::vector<Suspect*> order;
  for (Suspect& suspect : suspects) {
    if (suspect.distance > 0) order.push_back(&suspect);
  }
  std::ranges::stable_sort(order, {}, [](const Suspect* suspect) { return suspect->chance(); });
  std::size_t left = suspects.size();
  bool goes_on = true;
  for (Suspect* suspect : order) {
    suspect->level = kLevel / static_cast<double>(left);
    goes_on = goes_on && suspect->chance() <= suspect->level;
    if (!goes_on) continue;
    suspect->row.verdict = GateVerdict::kRegression;
    --left;
  }
}

std::int64_t repetitions_to_decide(const Suspect& suspect) {
  const GateCase& row = suspect.row;
  if (row.verdict != GateVerdict::kInconclusive || suspect.quantile == 0) return 0;
  const auto now = static_cast<double>(row.repetitions);
  for (std::int64_t more = row.repetitions + 1; more <= kMostRepetitions; ++more) {
    if (suspect.chance(static_cast<double>(more) / now) <= suspect.level) return more;
  }
  return 0;
}

GateVerdict overall_verdict(const std::vector<GateGroup>& groups) {
  const auto any = [&](auto matches) {
    return std::ranges::any_of(groups, [&](const GateGroup& group) {
      return matches(group.mean) || std::ranges::any_of(group.cases, matches);
    });
  };
  if (any([](const GateCase& row) { return row.verdict == GateVerdict::kRegression; }))
    return GateVerdict::kRegression;
  const bool is_above = any([](const GateCase& row) { return row.loss.value >= 1 + row.limit.threshold; });
  const bool pass = std::ranges::all_of(
      groups, [](const GateGroup& group) { return group.mean.verdict == GateVerdict::kPass; });
  return pass && !is_above ? GateVerdict::kPass : GateVerdict::kInconclusive;
}

RowRatio compute_loss(const Pair& pair, const Metric& metric) {
  const CandidateRow old{pair.owner->base, pair.base};
  const CandidateRow now{pair.owner->other, pair.other};
  // The threshold covers changes of the machine between candidates measured apart.
  const Measuring measuring = find_measuring(*old.candidate, *now.candidate);
  return make_ratio(now, old, metric, measuring == Measuring::kApart ? Measuring::kMixed : measuring);
}

/// Adds a sentence per difference in settings that is not allowed.
void add_settings(const CandidatePair& versus, const std::vector<Difference>& differences,
                  const std::vector<std::string>& allowed, std::vector<std::string>& sentences) {
  for (const Difference& difference : differences) {
    const std::string name = setting_name(difference.what);
    if (!difference.is_setting || std::ranges::find(allowed, name) != allowed.end()) continue;
    if (difference.is_choice && are_interleaved(*versus.base, *versus.other)) continue;
    add_once(
        sentences,
        difference.what == kChangedFile
            ? fmt::format("content_sha256 does not match; run 'gpubench file validate', or accept it with "
                          "--allow {}",
                          name)
            : fmt::format("Different {}; accept it with --allow {}", format_sentence(difference, versus),
                          name));
  }
}

/// Returns the metric of a pair to which the limit applies; null if it is not comparable.
const Metric* find_metric(const GateLimit& limit, const Pair& pair) {
  if (limit.metric != nullptr) return is_comparable(*limit.metric, pair) ? limit.metric : nullptr;
  const Measured<RowRatio> ratio = find_main_ratio(pair);
  return ratio.has_value() ? ratio.value().over->metric : nullptr;
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
    const Metric* const metric = find_metric(limit, *pair);
    if (metric == nullptr) {
      const Measured<RowRatio> none =
          limit.metric == nullptr ? find_main_ratio(*pair) : find_ratio(*limit.metric, *pair);
      report.obstacles.push_back(name + ": " + none.reason());
      continue;
    }
    const RowRatio& loss = losses.emplace_back(compute_loss(*pair, *metric));
    group.cases.push_back(
        {name, limit, loss.ratio, loss.freedom, std::min(pair->base->processes, pair->other->processes)});
    group.cases.back().noise_arm = loss.noise_arm;
  }
  if (losses.empty()) return group;
  group.mean = {"geometric mean", limit, compute_mean(losses),
                std::ranges::min(mapped(losses, &RowRatio::freedom)),
                std::min(std::ranges::min(mapped(group.cases, &GateCase::repetitions)), kMostRepetitions)};
  group.mean.noise_arm = summarize(mapped(losses, &RowRatio::noise_arm)).mean;
  return group;
}

}  // namespace

GateReport judge(std::vector<GateGroup> groups) {
  std::vector<Suspect> suspects;
  for (GateGroup& group : groups) {
    for (GateCase& one : group.cases) suspects.emplace_back(one);
    if (group.cases.size() > 1) suspects.emplace_back(group.mean);
  }
  find_regressions(suspects);
  for (Suspect& suspect : suspects) {
    if (suspect.distance < 0 && suspect.chance() <= kLevel) suspect.row.verdict = GateVerdict::kPass;
    suspect.row.repetitions_to_decide = repetitions_to_decide(suspect);
  }
  for (GateGroup& group : groups) {
    if (group.cases.size() == 1) group.mean = group.cases.front();
  }
  const GateVerdict answer = overall_verdict(groups);
  return {answer, std::move(groups)};
}

std::vector<std::string> setting_names() {
  RunRecord run;
  run.cases.emplace_back();
  const Candidate candidate = make_candidates(run, "").front();
  std::vector<std::string> names;
  for (const Conditions& conditions : {candidate.conditions, candidate.rows.front().conditions}) {
    for (const Condition& condition : conditions) {
      if (condition.is_setting) names.push_back(setting_name(condition.name));
    }
  }
  return names;
}

void require_setting(const std::string& name, const std::string& option) {
  const std::vector<std::string> known = setting_names();
  if (std::ranges::find(known, name) == known.end()) throw_unknown_name(option, "setting", name, known);
}

GateReport gate(const Comparison& comparison, const std::vector<GateLimit>& limits,
                const std::vector<std::string>& allowed) {
  GateReport found;
  for (const CandidatePair& versus : comparison.versus_baseline) {
    std::vector<Difference> differences = all_differences(*versus.base, *versus.other);
    for (const Pair& pair : versus.pairs) append(differences, pair.differences);
    add_settings(versus, differences, allowed, found.obstacles);
  }
  found.answer = GateVerdict::kIncomparable;
  if (!found.obstacles.empty()) return found;
  const std::vector<NamedPair> pairs = list_pairs(comparison, found);
  std::vector<GateGroup> groups;
  for (const GateLimit& limit : limits) {
    GateGroup group = make_group(limit, pairs, found);
    if (!group.cases.empty()) groups.push_back(std::move(group));
  }
  GateReport report{GateVerdict::kIncomparable};
  if (!groups.empty()) report = judge(std::move(groups));
  if (!found.failures.empty())
    report.answer = GateVerdict::kRegression;
  else if (!found.obstacles.empty() && report.answer != GateVerdict::kRegression)
    report.answer = GateVerdict::kIncomparable;
  report.failures = std::move(found.failures);
  report.obstacles = std::move(found.obstacles);
  return report;
}

}  // namespace gpubench
