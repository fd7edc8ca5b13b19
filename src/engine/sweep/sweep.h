#pragma once
// Runs the work of a plan, a piece after the other, and journals what becomes of each. No LibTorch.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/execution/executor.h"
#include "engine/sweep/journal.h"
#include "gpubench/core/clock.h"

namespace gpubench {

/// Measures the peak of the device of that name anew; nothing where it cannot be.
using RenewRoof = std::function<std::optional<DeviceRecord>(const std::string& device)>;

/// What a sweep needs. All of it outlives the sweep.
template <class Work>
struct SweepServices {
  ExecutorOf<Work>& executor;
  Journal<Work>& journal;
  Progress<RowOf<Work>>& progress;
  Interrupts& interrupts;
  const Clock& clock;
  std::function<void()> keep;  ///< Called after each row, e.g. to write the document anew.
  RenewRoof renew_peak{};      ///< Asked before a row becomes `invalid` for its rate; may be empty.
};

/// Positions in `state` of the rows that have no result, or one that is not `ok`, in the order of `order`.
template <class Work>
std::vector<std::size_t> unfinished(const JournalState<Work>& state, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> positions;
  for (const std::size_t position : order) {
    const auto& result = state.rows.at(position).result;
    if (!result || result->status != RowStatus::kOk) positions.push_back(position);
  }
  return positions;
}

/// Runs the work of the journal at `position`, or skips it where a rule says so, and journals its row. After
/// `deadline` (on the clock of the services) a case ends with the epoch that it is in.
template <class Work>
void run_position(const Work& work, std::size_t position, std::size_t index, std::size_t count,
                  std::optional<Seconds> deadline, const SweepServices<Work>& services);

/// Runs the work at these positions of the journal, which is of all of `work`, until the user interrupts.
/// What fails is a row; the rest goes on. Returns false where the user ended it.
template <class Work>
bool run_sweep(const std::vector<Work>& work, const std::vector<std::size_t>& positions,
               const SweepServices<Work>& services);

/// A row of a case that is not tried.
CaseRecord skipped(const CaseRecord& planned, const std::string& rule, const std::string& reason);

}  // namespace gpubench
