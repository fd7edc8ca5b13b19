#pragma once
// A comparison as a gate sees it: may this change pass?

#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "compare/gate.h"

namespace gpubench {

/// What the gate says, from the first that applies on.
enum class GateAnswer {
  kRegression,    ///< A row that ran does not any more, or is slower beyond doubt.
  kIncomparable,  ///< A row is missing, or its figures are of other work.
  kInconclusive,  ///< More repetitions would tell.
  kPass,
};

struct GateReport {
  GateAnswer answer = GateAnswer::kPass;
  GateOutcome outcome;  ///< Of the rows with times on both sides; without rows where there are none.
  double asked = 0;     ///< The threshold that was asked for.
  std::optional<double> noise_floor;  ///< Of the machines, where they were calibrated; 0.03 is 3 %.
  std::vector<std::string>
      failures;  ///< Rows that ran in the baseline and now end otherwise, a sentence each.
  std::vector<std::string> obstacles;  ///< Why a row cannot be judged, likewise.
};

/// Judges the rows of all duels, cases and operations alike, by the larger of `threshold` (0.05 is 5 %) and
/// the noise floor of the machines, where they were calibrated. Fewer than three processes a side do not tell
/// how processes scatter: such a row has the floor for its interval, and without one is inconclusive.
GateReport gate(const Comparison& comparison, double threshold);

}  // namespace gpubench
