#pragma once
// Decision for continuous integration: whether a comparison lets a change pass.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/comparison.h"

namespace gpubench {

/// Verdict on a case, or on all. The first that applies.
enum class GateVerdict {
  kRegression,    ///< It is slower beyond doubt, or ran in the baseline and now does not.
  kIncomparable,  ///< It is missing, or its figures are of other work.
  kInconclusive,  ///< More repetitions would decide it.
  kPass,
};

/// More repetitions than this are not recommended to decide a case.
inline constexpr std::int64_t kMostRepetitions = 1000;

/// A case that both sides ran, and what judge() makes of it.
struct GateCase {
  std::string name;
  Estimate slowdown;             ///< Time on the new side over that on the old, with its 95 % interval.
  std::int64_t repetitions = 0;  ///< Processes on the side that has fewer; at least 1.
  GateVerdict verdict = GateVerdict::kInconclusive;
  /// Processes a side that would decide the case at this slowdown: arms shrink with the root of their number.
  /// 0 where the case is decided, has no interval, or would need more than kMostRepetitions.
  std::int64_t repetitions_to_decide = 0;
};

struct GateReport {
  GateVerdict answer = GateVerdict::kInconclusive;
  double threshold = 0;                  ///< 0.05 is 5 %.
  std::vector<GateCase> cases{};         ///< Those with times on both sides, in the order given.
  GateCase mean{};                       ///< The geometric mean of all cases, judged likewise.
  std::vector<std::string> failures{};   ///< Rows that ran in the baseline and now do not, a sentence each.
  std::vector<std::string> obstacles{};  ///< Reasons why rows cannot be judged, likewise.
};

/// Judges cases by a threshold of at least 0, of which 0.05 means that a change may cost 5 %.
///
/// A case regresses if one arm of its interval shows a slowdown above 1 + threshold (2.5 %), passes if one
/// arm shows it below, and is inconclusive otherwise or without an interval. Regressions are sought in all
/// cases and their geometric mean at once, so Holm's procedure (1979, Scand. J. Statist. 6, 65-70) keeps the
/// chance of any false alarm at 2.5 %. Passing needs no correction: all cases must pass (intersection-union
/// test, Berger 1982, doi:10.1080/00401706.1982.10487790).
///
/// The comparison regresses if a case or the mean does. It passes if the mean passes and every inconclusive
/// case was measured below the threshold, so one noisy case does not hold up a change. Otherwise it is
/// inconclusive, and more repeats help. docs/intervals.md has the rates of false alarms.
///
/// `mean` is the geometric mean of the slowdowns of `cases`, at least one.
GateReport judge(std::vector<GateCase> cases, const Estimate& mean, double threshold);

/// Judges the rows of all versus_baseline by `threshold` (0.05 is 5 %). Fewer than three processes a side are
/// inconclusive. Sides measured apart are compared as if measured at the same time: the threshold has to
/// allow for what the machine does in between. The mean is compute_mean().
GateReport gate(const Comparison& comparison, double threshold);

}  // namespace gpubench
