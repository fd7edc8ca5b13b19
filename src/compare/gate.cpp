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
struct Candidate {
  GateRow row;
  double distance = 0;    ///< Of the slowdown from the limit, in logarithms; negative below it.
  double score = 0;       ///< That in standard deviations towards the limit.
  double level = kLevel;  ///< Of doubt that is left to it.
};

/// Chance of a normal variable above `score`.
double upper_tail(double score) { return std::erfc(score / std::numbers::sqrt2) / 2; }

bool is_beyond_doubt(const Candidate& candidate, double growth = 1) {
  return candidate.distance != 0 && upper_tail(std::abs(candidate.score) * growth) <= candidate.level;
}

double score_of(const Estimate& slowdown, double distance) {
  if (distance == 0) return 0;
  const Interval& interval = slowdown.interval.value();
  const double arm =
      distance > 0 ? std::log(slowdown.value / interval.low) : std::log(interval.high / slowdown.value);
  return kNormalScore * distance / arm;
}

Candidate candidate_of(const GateCase& judged, double limit) {
  Candidate candidate{{judged}};
  candidate.distance = std::log(judged.slowdown.value / limit);
  if (judged.slowdown.interval.has_value()) candidate.score = score_of(judged.slowdown, candidate.distance);
  return candidate;
}

/// Holm's procedure: the clearest first, each at the level shared by those that are left.
void find_regressions(std::vector<Candidate>& candidates) {
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return candidates[i].score; });
  std::size_t left = candidates.size();
  bool goes_on = true;
  for (const std::size_t i : order) {
    Candidate& candidate = candidates[i];
    if (candidate.distance <= 0) continue;
    candidate.level = kLevel / static_cast<double>(left);
    goes_on = goes_on && is_beyond_doubt(candidate);
    if (!goes_on) continue;
    candidate.row.verdict = GateVerdict::kRegression;
    --left;
  }
}

Reading<std::int64_t> repetitions_to_decide(const Candidate& candidate) {
  if (candidate.row.verdict != GateVerdict::kInconclusive) return absent("the case is decided");
  const Reading<Interval>& interval = candidate.row.slowdown.interval;
  if (!interval.has_value()) return absent(interval.reason());
  const auto now = static_cast<double>(candidate.row.repetitions);
  for (std::int64_t more = candidate.row.repetitions + 1; more <= kMostRepetitions; ++more) {
    if (is_beyond_doubt(candidate, std::sqrt(static_cast<double>(more) / now))) return more;
  }
  return absent("the slowdown is so close to the threshold that {} repetitions would not decide",
                kMostRepetitions);
}

GateCase mean_case(std::span<const GateCase> cases, const Estimate& mean) {
  const std::int64_t fewest = std::ranges::min(mapped(cases, &GateCase::repetitions));
  return {"geometric mean", mean, std::min(fewest, kMostRepetitions)};
}

/// The cases, and their mean unless it is the same as the only one.
std::vector<Candidate> candidates_of(std::span<const GateCase> cases, const Estimate& mean, double limit) {
  auto candidates = mapped(cases, [limit](const GateCase& judged) { return candidate_of(judged, limit); });
  if (cases.size() > 1) candidates.push_back(candidate_of(mean_case(cases, mean), limit));
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

std::int64_t repetitions_of(const Pair& pair) {
  return std::min(pair.base->processes, pair.other->processes);
}

/// What a machine does between the sides is what the threshold allows for.
Measuring measuring_for_gate(const Duel& duel) {
  return are_in_alternation(*duel.base, *duel.other) ? Measuring::kAlternation : Measuring::kMixed;
}

/// What is judged, and of what processes each ratio is.
struct Judged {
  std::vector<GateCase> cases;
  std::vector<RoundRatio> slowdowns;  ///< t_new / t_old, of each case.

  void add(const std::string& name, const Pair& pair) {
    const Measuring measuring = measuring_for_gate(*pair.duel);
    const Estimate slowdown =
        ratio_of_times({pair.duel->other, pair.other}, {pair.duel->base, pair.base}, measuring);
    cases.push_back({name, slowdown, repetitions_of(pair)});
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

GateVerdict answer_of(const GateReport& report) {
  if (!report.failures.empty() || report.outcome.verdict == GateVerdict::kRegression)
    return GateVerdict::kRegression;
  if (!report.obstacles.empty() || report.outcome.cases.empty()) return GateVerdict::kIncomparable;
  return report.outcome.verdict;
}

}  // namespace

GateOutcome judge(std::span<const GateCase> cases, const Estimate& mean, double threshold) {
  if (cases.empty()) throw std::invalid_argument("no verdict about no cases");
  std::vector<Candidate> candidates = candidates_of(cases, mean, 1 + threshold);
  find_regressions(candidates);
  GateOutcome outcome{GateVerdict::kInconclusive, threshold, {}, {}};
  for (Candidate& candidate : candidates) {
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
  return judge(cases, geometric_mean_of(mapped(cases, &GateCase::slowdown)), threshold);
}

GateReport gate(const Comparison& comparison, double threshold) {
  GateReport report;
  report.outcome.threshold = threshold;
  Judged judged;
  const RowNames names(identities_of(comparison.contenders));
  for (const Duel& duel : comparison.duels) {
    const std::string who = comparison.duels.size() == 1 ? "" : pair_name(duel) + ", ";
    for (const Pair& pair : duel.pairs) {
      if (pair.base != nullptr && pair.base->is_ok)
        sort(pair, who + names.of(pair.base->identity), judged, report);
    }
  }
  if (!judged.cases.empty())
    report.outcome = judge(judged.cases, mean_of_rounds(judged.slowdowns), threshold);
  report.answer = answer_of(report);
  return report;
}

}  // namespace gpubench
