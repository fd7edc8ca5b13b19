#pragma once
// A comparison as a gate sees it: may this change pass?

#include <string>
#include <vector>

#include "gpubench/compare/comparison.h"
#include "gpubench/compare/gate.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// What the gate says, from the first that applies on.
enum class GateAnswer {
  kRegression,    ///< A case that ran does not any more, or is slower beyond doubt.
  kIncomparable,  ///< A case is missing, or its figures are of other work.
  kInconclusive,  ///< More repetitions would tell.
  kPass,
};

struct GateReport {
  GateAnswer answer = GateAnswer::kPass;
  GateOutcome outcome;  ///< Of the cases with times on both sides; without rows where there are none.
  std::vector<std::string>
      failures;  ///< Cases that ran in the baseline and now end otherwise, a sentence each.
  std::vector<std::string> obstacles;  ///< Why a case cannot be judged, likewise.
  std::vector<std::string> notes;      ///< On the threshold.
};

/// Judges all duels by the larger of `threshold` (0.05 is 5 %) and the noise floor of the machines, where
/// they were calibrated. Fewer than three processes a side do not tell how processes scatter: such a case has
/// the floor for its interval, and without one is inconclusive.
GateReport gate(const Comparison& comparison, double threshold);

/// The report for people.
Page gate_page(const Comparison& comparison, const GateReport& report);

}  // namespace gpubench
