#pragma once
// Conclusions from a comparison: a ranking of its machines, and whether a change may pass in CI.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.h"

namespace gpubench {

/// Best row of a machine for some work. Points into the comparison.
struct RankedMachine {
  const Candidate* candidate = nullptr;
  const RowFigures* best = nullptr;  ///< Of several works the row of the first one.
  const RowFigures* fp32 = nullptr;  ///< Fastest row in fp32; null without one.
  double throughput = 0;             ///< Of `best`, see compute_throughput(); of several works the mean.
  Estimate relative{};               ///< Throughput over that of the reference.
  std::size_t rank = 1;     ///< Equal for machines whose intervals overlap that of the first of them.
  bool is_certain = false;  ///< False if an interval is missing: then the rank is the measured place.
};

struct Ranking {
  RowIdentity work;                             ///< Without device and modes.
  std::size_t cases = 1;                        ///< More: `relative` is a geometric mean over these.
  const Candidate* reference = nullptr;         ///< The baseline if one was named, else the fastest machine.
  std::vector<RankedMachine> machines;          ///< The fastest first; at least two.
  std::vector<const Candidate*> left_out = {};  ///< Machines whose rows are of other work.
};

/// Returns samples per second, or epochs or calls per second if their samples are unknown.
double compute_throughput(const RowFigures& row);

/// Returns a ranking for each model and batch size (or operation) that two machines ran well; before these,
/// one by the geometric mean over the works that all ranked machines have, if they are several. Precisions
/// are ranked together; rows refused for another reason are left out unless the comparison is forced.
std::vector<Ranking> rank_machines(const Comparison& comparison);

/// Cost of a million samples where the machine has a price and the samples are known.
std::optional<double> cost_per_million(const RankedMachine& machine);

/// Verdict on a case, or on all. The first that applies.
enum class GateVerdict {
  kRegression,    ///< It is slower beyond doubt, or ran in the baseline and now does not.
  kIncomparable,  ///< It is missing, or its figures are of other work.
  kInconclusive,  ///< More repetitions would decide it.
  kPass,
};

/// A case that both sides ran, and what judge() makes of it.
struct GateCase {
  std::string name;
  Estimate slowdown;             ///< Time on the new side over that on the old, with its 95 % interval.
  std::int64_t repetitions = 0;  ///< Processes on the side that has fewer; at least 1.
  GateVerdict verdict = GateVerdict::kInconclusive;
  /// Processes a side that would decide the case at this slowdown: arms shrink with the root of their number.
  /// 0 where the case is decided, has no interval, or would need more than 1,000.
  std::int64_t repetitions_to_decide = 0;
  double noise_arm = 0;  ///< As in RowRatio: part of the arms of the interval that more processes leave.
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
/// inconclusive. docs/intervals.md has the rates of false alarms. `mean` is that of `cases`.
GateReport judge(std::vector<GateCase> cases, const Estimate& mean, double threshold);

/// Judges the rows of all versus_baseline by `threshold` (0.05 is 5 %). Fewer than three processes a side are
/// inconclusive, unless the noise between runs is known. Sides measured apart are compared as if measured at
/// the same time, with that noise; where it is unknown, the threshold has to allow for it.
GateReport gate(const Comparison& comparison, double threshold);

}  // namespace gpubench
