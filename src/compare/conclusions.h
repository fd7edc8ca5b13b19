#pragma once
// Conclusions from a comparison: rankings of machines, and verdicts on changes in CI.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.h"

namespace gpubench {

/// Best row of a machine for one or several works. Points into the comparison.
struct RankedMachine {
  const Candidate* candidate = nullptr;
  const RowFigures* best = nullptr;  ///< Fastest row for the first work.
  const RowFigures* fp32 = nullptr;  ///< Fastest row in fp32; null without one.
  double throughput = 0;             ///< Throughput of `best`; for several works the geometric mean.
  Estimate relative{};               ///< Throughput relative to the reference.
  std::size_t rank = 1;     ///< Rank; equal for machines whose intervals overlap that of their first.
  bool is_certain = false;  ///< False if an interval is missing and the rank is only the measured order.
};

struct Ranking {
  RowIdentity work;                      ///< Identity without device and modes.
  std::size_t cases = 1;                 ///< Number of works, over which `relative` is a geometric mean.
  const Candidate* reference = nullptr;  ///< The baseline if the user named one, else the fastest machine.
  std::vector<RankedMachine> machines;   ///< At least two machines, the fastest first.
  std::vector<const Candidate*> left_out = {};  ///< Machines without comparable rows.
};

/// Returns samples per second, or epochs or calls per second if their samples are unknown.
double compute_throughput(const RowFigures& row);

/// Returns a ranking for each model and batch size, or operation, with results of at least two machines. The
/// first ranking is by geometric mean if all machines have several works in common. Ranks all precisions
/// together. Ignores rows refused for other reasons unless the comparison is forced.
std::vector<Ranking> rank_machines(const Comparison& comparison);

/// Returns the cost of a million samples if the machine has a price and the samples are known.
std::optional<double> cost_per_million(const RankedMachine& machine);

/// Verdict on a case, or on all cases. The first that applies.
enum class GateVerdict {
  kRegression,    ///< Significantly slower, or ok in the baseline and failed now.
  kIncomparable,  ///< Missing, or of different work.
  kInconclusive,  ///< Undecided; needs more repeats.
  kPass,
};

/// Case of both sides, with the verdict of judge().
struct GateCase {
  std::string name;
  Estimate slowdown;             ///< New time over old time, with its 95 % interval.
  std::int64_t repetitions = 0;  ///< Processes on the side with fewer; at least 1.
  GateVerdict verdict = GateVerdict::kInconclusive;
  /// Processes per side that would decide the case at this slowdown, since intervals shrink with the root of
  /// their number. 0 if the case is decided, has no interval, or would need more than 1,000.
  std::int64_t repetitions_to_decide = 0;
  double noise_arm = 0;  ///< Part of the interval that more processes do not reduce; see RowRatio.
};

struct GateReport {
  GateVerdict answer = GateVerdict::kInconclusive;
  double threshold = 0;                  ///< Accepted relative slowdown: 0.05 is 5 %.
  std::vector<GateCase> cases{};         ///< Cases with times on both sides, in the order given.
  GateCase mean{};                       ///< Geometric mean of all cases.
  std::vector<std::string> failures{};   ///< One sentence per row that was ok in the baseline and failed now.
  std::vector<std::string> obstacles{};  ///< One sentence per row that cannot be judged, with the reason.
};

/// Judges cases by a threshold of at least 0; 0.05 accepts a slowdown of 5 %. `mean` is the mean of `cases`.
///
/// A case regresses if its interval lies above 1 + threshold, passes if it lies below, and is inconclusive
/// otherwise. Holm's procedure (1979, Scand. J. Statist. 6, 65-70) over all cases and their geometric mean
/// keeps the probability of any false alarm at 2.5 %. Passing needs no correction, since all cases must pass
/// (intersection-union test, Berger 1982, doi:10.1080/00401706.1982.10487790).
///
/// The comparison regresses if a case or the mean does. It passes if the mean passes and every inconclusive
/// case was measured below the threshold, so that one noisy case does not block a change. Otherwise it is
/// inconclusive. Rates of false alarms: docs/research/intervals.md.
GateReport judge(std::vector<GateCase> cases, const Estimate& mean, double threshold);

/// Judges the rows of all versus_baseline. With fewer than three processes per side they are inconclusive,
/// unless the noise between runs is known. For sides measured apart that noise widens the intervals; if it is
/// unknown, the threshold has to allow for it.
GateReport gate(const Comparison& comparison, double threshold);

}  // namespace gpubench
