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

struct BudgetPlan {
  std::vector<std::size_t> chosen;  ///< Positions to run, in the order of the plan.
  std::vector<std::size_t> cut;     ///< Positions for which there is no time.
  Seconds duration;                 ///< Expected time of the chosen ones.
};

/// A case that may be run.
struct BudgetCandidate {
  std::size_t position;
  std::int64_t round;          ///< Number of the repetition.
  Measured<Seconds> duration;  ///< Expected.
};

/// Chooses among `candidates`, which are in running order: of each round of repetitions the cheapest first,
/// until `budget` is spent. A case of unknown duration is chosen: it failed its trial, which costs little.
BudgetPlan choose_within(Seconds budget, const std::vector<BudgetCandidate>& candidates);

/// Returns half the interval of the case's median over its repetitions, as a part of it. Missing for fewer
/// than three processes.
Measured<double> uncertainty(const RunRecord& run, std::size_t position);

/// Time limit of a run.
struct Budget {
  Seconds time;
  Seconds begin;  ///< On the clock of the services; before the cases.
};

/// Shows a sentence to the user.
using TellBudget = std::function<void(const std::string& sentence)>;

/// Runs the cases at these positions within `budget`, trials included; one case may exceed it. Cases without
/// time are journalled as `skipped`, rule "budget". The rest of the time goes to a second and a third process
/// of each case, round by round, then to the cases with the largest uncertainty(), until it is below 1 % for
/// all. Returns false if the user ended it.
bool run_within_budget(const std::vector<Case>& cases, const std::vector<std::size_t>& positions,
                       const Budget& budget, const SweepServices<Case>& services, const TellBudget& tell);

/// Expected cost of a case.
struct Forecast {
  std::int64_t epochs;  ///< The fixed number; else the minimum for the target.
  Seconds training;     ///< Epochs and evaluation, without the start of the process.
};

/// Divides the counted work of the case's steps by the measured peaks of its device, as if arithmetic, memory
/// traffic and launches took turns. `planned` is the row of the case. Missing, with the reason, if a peak is
/// unknown or ranks exchange gradients.
Measured<Forecast> forecast(const Case& c, CaseRecord planned, const StepCosts& costs,
                            const Environment& environment);

}  // namespace gpubench
