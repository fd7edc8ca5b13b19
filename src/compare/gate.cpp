#include "compare/gate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

constexpr double kLevel = 0.025;  // Beyond one arm of a 95 % interval.

struct GateSuspect {
  GateSuspect(GateCase& judged, double limit) : row(judged), distance(std::log(row.slowdown.value / limit)) {
    if (!row.slowdown.interval.has_value() || distance == 0) return;
    const auto [low, high] = row.slowdown.interval.value();
    const double arm = std::log(distance > 0 ? row.slowdown.value / low : high / row.slowdown.value);
    score = kNormalScore * distance / arm;
  }

  /// Returns whether a normal variable exceeds `growth` times the score with at most the chance of the level.
  bool is_beyond_doubt(double growth = 1) const {
    return distance != 0 && std::erfc(std::abs(score) * growth / std::numbers::sqrt2) / 2 <= level;
  }

  GateCase& row;
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

std::int64_t repetitions_to_decide(const GateSuspect& suspect) {
  const GateCase& row = suspect.row;
  if (row.verdict != GateVerdict::kInconclusive || !row.slowdown.interval.has_value()) return 0;
  const auto now = static_cast<double>(row.repetitions);
  for (std::int64_t more = row.repetitions + 1; more <= kMostRepetitions; ++more) {
    if (suspect.is_beyond_doubt(std::sqrt(static_cast<double>(more) / now))) return more;
  }
  return 0;
}

GateVerdict overall_verdict(const GateReport& report) {
  const auto regresses = [](const GateCase& row) { return row.verdict == GateVerdict::kRegression; };
  if (regresses(report.mean) || std::ranges::any_of(report.cases, regresses)) return GateVerdict::kRegression;
  const bool is_below = std::ranges::all_of(
      report.cases, [&](const GateCase& row) { return row.slowdown.value < 1 + report.threshold; });
  return is_below ? report.mean.verdict : GateVerdict::kInconclusive;
}

/// Returns why a pair that ran in the baseline cannot be judged; empty if it can.
std::string find_obstacle(const Pair& pair) {
  return pair.other == nullptr ? "is missing" : speed_ratio(pair).reason();
}

/// Returns the ratio t_new / t_old of a pair with times on both sides.
RowRatio compute_slowdown(const Pair& pair) {
  const CandidateRow old{pair.versus->base, pair.base};
  const CandidateRow now{pair.versus->other, pair.other};
  // The threshold allows for what a machine does between sides that do not alternate.
  const Measuring measuring =
      are_in_alternation(*old.candidate, *now.candidate) ? Measuring::kAlternation : Measuring::kMixed;
  return make_ratio(now, old, &RowFigures::process_seconds, measuring);
}

}  // namespace

GateReport judge(std::vector<GateCase> cases, const Estimate& mean, double threshold) {
  const bool has_mean = cases.size() > 1;
  const std::int64_t fewest = std::ranges::min(mapped(cases, &GateCase::repetitions));
  if (has_mean) cases.push_back({"geometric mean", mean, std::min(fewest, kMostRepetitions)});
  std::vector<GateSuspect> suspects;
  for (GateCase& one : cases) suspects.emplace_back(one, 1 + threshold);
  find_regressions(suspects);
  for (GateSuspect& suspect : suspects) {
    if (suspect.distance < 0 && suspect.is_beyond_doubt()) suspect.row.verdict = GateVerdict::kPass;
    suspect.row.repetitions_to_decide = repetitions_to_decide(suspect);
  }
  GateReport report{GateVerdict::kInconclusive, threshold, std::move(cases)};
  report.mean = report.cases.back();
  if (has_mean) report.cases.pop_back();
  report.answer = overall_verdict(report);
  return report;
}

GateReport gate(const Comparison& comparison, double threshold) {
  std::vector<GateCase> cases;
  std::vector<RowRatio> slowdowns;
  std::vector<std::string> failures;
  std::vector<std::string> obstacles;
  const RowNames names(make_identities(comparison.candidates));
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    const std::string who = comparison.versus_baseline.size() == 1 ? "" : pair_name(versus) + ", ";
    for (const Pair& pair : versus.pairs) {
      if (pair.base == nullptr || !pair.base->is_ok) continue;
      const std::string name = who + names.of(pair.base->identity);
      if (pair.other != nullptr && !pair.other->is_ok) {
        failures.push_back(
            fmt::format("{}: was ok, now {} ({})", name, pair.other->status, pair.other->status_reason));
      } else if (const std::string why = find_obstacle(pair); !why.empty()) {
        obstacles.push_back(name + ": " + why);
      } else {
        slowdowns.push_back(compute_slowdown(pair));
        cases.push_back(
            {name, slowdowns.back().ratio, std::min(pair.base->processes, pair.other->processes)});
      }
    }
  }
  GateReport report{GateVerdict::kIncomparable, threshold};
  if (!cases.empty()) report = judge(std::move(cases), compute_mean(slowdowns), threshold);
  if (!failures.empty())
    report.answer = GateVerdict::kRegression;
  else if (!obstacles.empty() && report.answer != GateVerdict::kRegression)
    report.answer = GateVerdict::kIncomparable;
  report.failures = std::move(failures);
  report.obstacles = std::move(obstacles);
  return report;
}

}  // namespace gpubench
