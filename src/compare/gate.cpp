#include "compare/gate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

constexpr double kLevel = 0.025;  // Beyond one arm of a 95 % interval.

struct GateSuspect {
  GateSuspect(GateCase judged, double limit)
      : row(std::move(judged)), distance(std::log(row.slowdown.value / limit)) {
    if (!row.slowdown.interval.has_value() || distance == 0) return;
    const auto [low, high] = row.slowdown.interval.value();
    const double arm = std::log(distance > 0 ? row.slowdown.value / low : high / row.slowdown.value);
    score = kNormalScore * distance / arm;
  }

  /// Returns whether a normal variable exceeds `growth` times the score with at most the chance of the level.
  bool is_beyond_doubt(double growth = 1) const {
    return distance != 0 && std::erfc(std::abs(score) * growth / std::numbers::sqrt2) / 2 <= level;
  }

  GateCase row;
  double distance;        ///< Of the slowdown from the limit, in logarithms; negative below it.
  double score = 0;       ///< Distance in standard deviations towards the limit.
  double level = kLevel;  ///< Chance of a false verdict that is left to it.
};

/// Holm's procedure: the clearest first, each at the level shared by those that are left.
void find_regressions(std::vector<GateSuspect>& suspects) {
  std::vector<GateSuspect*> order;
  for (GateSuspect& suspect : suspects) order.push_back(&suspect);
  std::ranges::stable_sort(order, std::greater(), &GateSuspect::score);
  std::size_t left = suspects.size();
  bool goes_on = true;
  for (GateSuspect* suspect : order) {
    if (suspect->distance <= 0) continue;
    suspect->level = kLevel / static_cast<double>(left);
    goes_on = goes_on && suspect->is_beyond_doubt();
    if (!goes_on) continue;
    suspect->row.verdict = GateVerdict::kRegression;
    --left;
  }
}

Measured<std::int64_t> repetitions_to_decide(const GateSuspect& suspect) {
  if (suspect.row.verdict != GateVerdict::kInconclusive) return missing("the case is decided");
  const Measured<Interval>& interval = suspect.row.slowdown.interval;
  if (!interval.has_value()) return missing(interval.reason());
  const auto now = static_cast<double>(suspect.row.repetitions);
  for (std::int64_t more = suspect.row.repetitions + 1; more <= kMostRepetitions; ++more) {
    if (suspect.is_beyond_doubt(std::sqrt(static_cast<double>(more) / now))) return more;
  }
  return missing("the slowdown is so close to the threshold that {} repetitions would not decide",
                 kMostRepetitions);
}

GateVerdict overall_verdict(const GateOutcome& outcome) {
  const auto regresses = [](const GateCase& row) { return row.verdict == GateVerdict::kRegression; };
  if (regresses(outcome.mean) || std::ranges::any_of(outcome.cases, regresses))
    return GateVerdict::kRegression;
  const bool is_below = std::ranges::all_of(
      outcome.cases, [&](const GateCase& row) { return row.slowdown.value < 1 + outcome.threshold; });
  return is_below ? outcome.mean.verdict : GateVerdict::kInconclusive;
}

/// The cases to judge, with the processes that each ratio is made of.
struct Judged {
  std::vector<GateCase> cases;
  std::vector<RowRatio> slowdowns;  ///< t_new / t_old of each case.

  void add(const std::string& name, const Pair& pair) {
    const CandidateRow old{pair.versus->base, pair.base};
    const CandidateRow now{pair.versus->other, pair.other};
    // The threshold allows for what a machine does between sides that do not alternate.
    const Measuring measuring =
        are_in_alternation(*old.candidate, *now.candidate) ? Measuring::kAlternation : Measuring::kMixed;
    slowdowns.push_back(make_ratio(now, old, &RowFigures::process_seconds, measuring));
    cases.push_back({name, slowdowns.back().ratio, std::min(pair.base->processes, pair.other->processes)});
  }
};

/// Adds a pair that ran in the baseline to the cases to judge, or reports why it cannot be judged.
void sort(const Pair& pair, const std::string& name, Judged& judged, GateReport& report) {
  if (pair.other == nullptr) {
    report.obstacles.push_back(name + ": is missing");
  } else if (!pair.other->is_ok) {
    report.failures.push_back(
        fmt::format("{}: was ok, now {} ({})", name, pair.other->status, pair.other->status_reason));
  } else if (const auto ratio = speed_ratio(pair); !ratio.has_value()) {
    report.obstacles.push_back(name + ": " + ratio.reason());
  } else {
    judged.add(name, pair);
  }
}

GateVerdict make_answer(const GateReport& report) {
  if (!report.failures.empty() || report.outcome.verdict == GateVerdict::kRegression)
    return GateVerdict::kRegression;
  if (!report.obstacles.empty() || report.outcome.cases.empty()) return GateVerdict::kIncomparable;
  return report.outcome.verdict;
}

}  // namespace

GateOutcome judge(std::span<const GateCase> cases, const Estimate& mean, double threshold) {
  if (cases.empty()) throw std::invalid_argument("no verdict about no cases");
  std::vector<GateSuspect> suspects;
  for (const GateCase& one : cases) suspects.emplace_back(one, 1 + threshold);
  if (cases.size() > 1) {
    const std::int64_t fewest = std::ranges::min(mapped(cases, &GateCase::repetitions));
    suspects.emplace_back(GateCase{"geometric mean", mean, std::min(fewest, kMostRepetitions)},
                          1 + threshold);
  }
  find_regressions(suspects);
  GateOutcome outcome{GateVerdict::kInconclusive, threshold, {}, {}};
  for (GateSuspect& suspect : suspects) {
    if (suspect.distance < 0 && suspect.is_beyond_doubt()) suspect.row.verdict = GateVerdict::kPass;
    suspect.row.repetitions_to_decide = repetitions_to_decide(suspect);
    outcome.cases.push_back(suspect.row);
  }
  outcome.mean = outcome.cases.back();
  if (cases.size() > 1) outcome.cases.pop_back();
  outcome.verdict = overall_verdict(outcome);
  return outcome;
}

GateReport gate(const Comparison& comparison, double threshold) {
  GateReport report;
  report.outcome.threshold = threshold;
  Judged judged;
  const RowNames names(make_identities(comparison.candidates));
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    const std::string who = comparison.versus_baseline.size() == 1 ? "" : pair_name(versus) + ", ";
    for (const Pair& pair : versus.pairs) {
      if (pair.base != nullptr && pair.base->is_ok)
        sort(pair, who + names.of(pair.base->identity), judged, report);
    }
  }
  if (!judged.cases.empty()) report.outcome = judge(judged.cases, compute_mean(judged.slowdowns), threshold);
  report.answer = make_answer(report);
  return report;
}

}  // namespace gpubench
