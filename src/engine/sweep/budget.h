#pragma once
// Spends a time budget: first on every case that fits, then on repetitions.

#include <functional>
#include <string>
#include <vector>

#include "engine/api/model_cost.h"
#include "engine/plan/plan.h"
#include "engine/sweep/pilots.h"
#include "engine/sweep/sweep.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// What a budget buys.
struct BudgetPlan {
  std::vector<std::size_t> chosen;  ///< Positions to run, in the order of the plan.
  std::vector<std::size_t> cut;     ///< Positions for which there is no time.
  Seconds duration;                 ///< What the chosen ones are expected to take.
};

/// A case that may be run.
struct BudgetCandidate {
  std::size_t position;
  std::int64_t round;          ///< Which repetition it is.
  Measured<Seconds> duration;  ///< As expected.
};

/// Chooses among `candidates`, in the order in which they would run: of each round of repetitions the
/// cheapest first, until `budget` is spent. A case whose duration is unknown is chosen: it failed its trial,
/// which costs next to nothing.
BudgetPlan choose_within(Seconds budget, const std::vector<BudgetCandidate>& candidates);

/// Half the interval of the case's median over its repetitions, as a part of it. Missing for fewer than
/// three: epochs, however much alike, do not tell how processes differ.
Measured<double> uncertainty(const RunRecord& run, std::size_t position);

/// How long a run may take.
struct Budget {
  Seconds time;
  Seconds begin;  ///< On the clock of the services: what came before the cases counts too.
};

/// Tells the user about the plan.
using TellBudget = std::function<void(const std::string& sentence)>;

/// Runs the cases at these positions within `budget`, which pays for the trials as well and is exceeded by no
/// more than the end of one case. What there is no time for is journalled as `skipped`, rule "budget". What
/// time is left goes to a second and a third process of each case, round by round, then to the cases whose
/// uncertainty() is largest, until it is below 1 % of all. Returns false where the user ended it.
bool run_within_budget(const std::vector<Case>& cases, const std::vector<std::size_t>& positions,
                       const Budget& budget, const SweepServices<Case>& services, const TellBudget& tell);

/// What a case is expected to take.
struct Forecast {
  std::int64_t epochs;  ///< Their number where it is fixed; else what the target takes at least.
  Seconds training;     ///< Epochs and evaluation; the start of the process comes on top.
};

/// The counted work of the case's steps at the measured peaks of its device, as if arithmetic, memory traffic
/// and launches took turns. `planned` is the row of the case. Missing, with the reason, where a peak is
/// unknown or ranks exchange gradients.
Measured<Forecast> forecast(const Case& c, CaseRecord planned, const StepCosts& costs,
                            const Environment& environment);

}  // namespace gpubench
