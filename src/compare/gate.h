#pragma once
// Gates in CI: whether a change made a metric worse by more than a threshold.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.h"

namespace gpubench {

/// Verdict on a case, or on all cases. The first that applies.
enum class GateVerdict {
  kRegression,    ///< Significantly worse, or ok in the baseline and failed now.
  kIncomparable,  ///< Missing, of different work, or measured under other settings.
  kInconclusive,  ///< Undecided; needs more repeats.
  kPass,
};
inline constexpr std::array kGateVerdictNames{"regression", "incomparable", "inconclusive", "pass"};
constexpr EnumNames<GateVerdict> enum_names(GateVerdict) { return {"verdict", kGateVerdictNames}; }

/// Threshold of a gate.
struct GateLimit {
  const Metric* metric = nullptr;  ///< Null: the main metric of each case.
  double threshold = 0;            ///< Accepted relative loss: 0.05 is 5 %.

  /// Returns "fit time", or "time" for the main metric.
  std::string noun() const { return metric == nullptr ? "time" : metric->noun(); }
};

/// Case of both candidates, with the verdict of judge().
struct GateCase {
  std::string name;
  GateLimit limit{};
  Estimate loss;                 ///< New cost over old cost, with its 95 % interval; above 1 is worse.
  double freedom = 0;            ///< Degrees of freedom of the interval.
  std::int64_t repetitions = 0;  ///< Processes of the candidate with fewer; at least 1.
  double noise_arm = 0;          ///< Part of the interval that more processes do not reduce; see RowRatio.
  GateVerdict verdict = GateVerdict::kInconclusive;
  /// Processes per candidate that would decide the case at this loss, since intervals shrink with the root of
  /// their number. 0 if the case is decided, has no interval, or would need more than 1,000.
  std::int64_t repetitions_to_decide = 0;
};

/// Cases with one limit.
struct GateGroup {
  std::vector<GateCase> cases{};
  GateCase mean{};  ///< Geometric mean of all cases; equal to a single case.
};

struct GateReport {
  GateVerdict answer = GateVerdict::kInconclusive;
  std::vector<GateGroup> groups{};       ///< By limit, with at least one case each.
  std::vector<std::string> failures{};   ///< One sentence per row that was ok in the baseline and failed now.
  std::vector<std::string> obstacles{};  ///< One sentence per row or setting that prevents a verdict.
};

/// Judges groups of cases with a value in both candidates.
///
/// A case regresses if its interval lies above 1 + threshold, passes if it lies below, and is inconclusive
/// otherwise. Holm's procedure (1979, Scand. J. Statist. 6, 65-70) with Student's t over all cases and
/// geometric means keeps the probability of any false alarm at 2.5 %. Passing needs no correction, since all
/// cases must pass (intersection-union test, Berger 1982, doi:10.1080/00401706.1982.10487790).
///
/// The answer is a regression if a case or a mean regresses. It is a pass if all means pass and every
/// inconclusive case was measured below the threshold, so that one noisy case does not block a change.
/// Otherwise it is inconclusive. Rates of false alarms: docs/research/intervals.md.
GateReport judge(std::vector<GateGroup> groups);

/// Judges the rows of all versus_baseline, for at least one limit. With fewer than three processes per
/// candidate they are inconclusive. For candidates measured apart the thresholds have to allow for changes of
/// the machine. Differences in settings (Condition::is_setting) make the answer incomparable, except those in
/// `allowed`, whose names are those of setting_name().
GateReport gate(const Comparison& comparison, const std::vector<GateLimit>& limits,
                const std::vector<std::string>& allowed = {});

/// Returns the names of all settings, as for `allowed`.
std::vector<std::string> setting_names();
/// Throws a usage Error that names `option` unless the name is that of a setting.
void require_setting(const std::string& name, const std::string& option);

}  // namespace gpubench
