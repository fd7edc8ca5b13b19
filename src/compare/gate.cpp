#include "compare/gate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

constexpr double kLevel = 0.025;  // Beyond one arm of a 95 % interval.

/// A row while it is judged.
struct GateSuspect {
  GateRow row;
  double distance = 0;    ///< Of the slowdown from the limit, in logarithms; negative below it.
  double score = 0;       ///< That in standard deviations towards the limit.
  double level = kLevel;  ///< Of doubt that is left to it.
};

/// Chance of a normal variable above `score`.
double upper_tail(double score) { return std::erfc(score / std::numbers::sqrt2) / 2; }

bool is_beyond_doubt(const GateSuspect& candidate, double growth = 1) {
  return candidate.distance != 0 && upper_tail(std::abs(candidate.score) * growth) <= candidate.level;
}

double compute_score(const Estimate& slowdown, double distance) {
  if (distance == 0) return 0;
  const Interval& interval = slowdown.interval.value();
  const double arm =
      distance > 0 ? std::log(slowdown.value / interval.low) : std::log(interval.high / slowdown.value);
  return kNormalScore * distance / arm;
}

GateSuspect make_gate_candidate(const GateCase& judged, double limit) {
  GateSuspect candidate{{judged}};
  candidate.distance = std::log(judged.slowdown.value / limit);
  if (judged.slowdown.interval.has_value())
    candidate.score = compute_score(judged.slowdown, candidate.distance);
  return candidate;
}

/// Holm's procedure: the clearest first, each at the level shared by those that are left.
void find_regressions(std::vector<GateSuspect>& candidates) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return candidates[i].score; });
  std::size_t left = candidates.size();
  bool goes_on = true;
  for (const std::size_t i : order) {
    GateSuspect& candidate = candidates[i];
    if (candidate.distance <= 0) continue;
    candidate.level = kLevel / static_cast<double>(left);
    goes_on = goes_on && is_beyond_doubt(candidate);
    if (!goes_on) continue;
    candidate.row.verdict = GateVerdict::kRegression;
    --left;
  }
}

Measured<std::int64_t> repetitions_to_decide(const GateSuspect& candidate) {
  if (candidate.row.verdict != GateVerdict::kInconclusive) return missing("the case is decided");
  const Measured<Interval>& interval = candidate.row.slowdown.interval;
  if (!interval.has_value()) return missing(interval.reason());
  const auto now = static_cast<double>(candidate.row.repetitions);
  for (std::int64_t more = candidate.row.repetitions + 1; more <= kMostRepetitions; ++more) {
    if (is_beyond_doubt(candidate, std::sqrt(static_cast<double>(more) / now))) return more;
  }
  return missing("the slowdown is so close to the threshold that {} repetitions would not decide",
                 kMostRepetitions);
}

GateCase mean_case(std::span<const GateCase> cases, const Estimate& mean) {
  const std::int64_t fewest = std::ranges::min(mapped(cases, &GateCase::repetitions));
  return {"geometric mean", mean, std::min(fewest, kMostRepetitions)};
}

/// The cases, and their mean unless it is the same as the only one.
std::vector<GateSuspect> make_gate_candidates(std::span<const GateCase> cases, const Estimate& mean,
                                              double limit) {
  auto candidates =
      mapped(cases, [limit](const GateCase& judged) { return make_gate_candidate(judged, limit); });
  if (cases.size() > 1) candidates.push_back(make_gate_candidate(mean_case(cases, mean), limit));
  return candidates;
}

bool regresses(const GateRow& row) { return row.verdict == GateVerdict::kRegression; }

GateVerdict overall_verdict(const GateOutcome& outcome) {
  const double limit = 1 + outcome.threshold;
  if (regresses(outcome.mean) || std::ranges::any_of(outcome.cases, regresses))
    return GateVerdict::kRegression;
  const bool is_below =
      std::ranges::all_of(outcome.cases, [limit](const GateRow& row) { return row.slowdown.value < limit; });
  return is_below ? outcome.mean.verdict : GateVerdict::kInconclusive;
}

std::int64_t count_repetitions(const Pair& pair) {
  return std::min(pair.base->processes, pair.other->processes);
}

/// What a machine does between the sides is what the threshold allows for.
Measuring measuring_for_gate(const BaselineComparison& versus) {
  return are_in_alternation(*versus.base, *versus.other) ? Measuring::kAlternation : Measuring::kMixed;
}

/// What is judged, and of what processes each ratio is.
struct Judged {
  std::vector<GateCase> cases;
  std::vector<RoundRatio> slowdowns;  ///< t_new / t_old, of each case.

  void add(const std::string& name, const Pair& pair) {
    const Measuring measuring = measuring_for_gate(*pair.versus);
    const Estimate slowdown =
        ratio_of_times({pair.versus->other, pair.other}, {pair.versus->base, pair.base}, measuring);
    cases.push_back({name, slowdown, count_repetitions(pair)});
    slowdowns.push_back({slowdown, &pair.other->process_seconds, &pair.base->process_seconds, measuring});
  }
};

/// Adds a pair that ran in the baseline to what can be judged, or says what speaks against it.
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
  std::vector<GateSuspect> candidates = make_gate_candidates(cases, mean, 1 + threshold);
  find_regressions(candidates);
  GateOutcome outcome{GateVerdict::kInconclusive, threshold, {}, {}};
  for (GateSuspect& candidate : candidates) {
    if (candidate.distance < 0 && is_beyond_doubt(candidate)) candidate.row.verdict = GateVerdict::kPass;
    candidate.row.repetitions_to_decide = repetitions_to_decide(candidate);
    outcome.cases.push_back(candidate.row);
  }
  outcome.mean = outcome.cases.back();
  if (cases.size() > 1) outcome.cases.pop_back();
  outcome.verdict = overall_verdict(outcome);
  return outcome;
}

GateOutcome judge(std::span<const GateCase> cases, double threshold) {
  if (cases.empty()) throw std::invalid_argument("no verdict about no cases");
  return judge(cases, compute_geometric_mean(mapped(cases, &GateCase::slowdown)), threshold);
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
  if (!judged.cases.empty())
    report.outcome = judge(judged.cases, mean_of_rounds(judged.slowdowns), threshold);
  report.answer = make_answer(report);
  return report;
}

}  // namespace gpubench
