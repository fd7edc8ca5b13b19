#pragma once
// Runs the cases of a plan one after the other and journals what becomes of each. No LibTorch.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/execution/case_executor.h"
#include "engine/execution/progress.h"
#include "engine/sweep/journal.h"
#include "gpubench/core/clock.h"

namespace gpubench {

/// What a sweep needs. All of it outlives the sweep.
struct SweepServices {
  CaseExecutor& executor;
  Journal& journal;
  Progress& progress;
  Interrupts& interrupts;
  const Clock& clock;
  std::function<void()> keep;  ///< Called after each case, e.g. to write the document anew.
};

/// Positions in `state` of the cases that have no result, or one that is not `ok`, in the order of `order`.
std::vector<std::size_t> unfinished(const JournalState& state, const std::vector<std::size_t>& order);

/// Runs a case of the journal at `position`, or skips it where a rule says so, and journals its row. After
/// `deadline` (on the clock of the services) the case ends with the epoch that it is in.
void run_position(const Case& c, std::size_t position, std::size_t index, std::size_t count,
                  std::optional<Seconds> deadline, const SweepServices& services);

/// Runs the cases at these positions of the journal, whose cases are `cases`, until the user interrupts. A
/// failing case is a row; the rest goes on. Returns false where the user ended it.
bool run_sweep(const std::vector<Case>& cases, const std::vector<std::size_t>& positions,
               const SweepServices& services);

/// A row of a case that is not tried.
CaseRecord skipped(const CaseRecord& planned, const std::string& rule, const std::string& trigger,
                   const std::string& reason);

}  // namespace gpubench
