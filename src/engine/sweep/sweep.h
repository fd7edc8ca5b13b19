#pragma once
// Runs the work of a plan, one piece after the other, and journals each row. No LibTorch.

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/execution/executor.h"
#include "engine/sweep/journal.h"
#include "gpubench/core/clock.h"

namespace gpubench {

template <class Work>
using ExecutorOf = std::conditional_t<std::is_same_v<Work, Case>, CaseExecutor, OpExecutor>;

/// Measures the peak of the device of that name again; returns nothing on failure.
using RenewRoof = std::function<std::optional<DeviceRecord>(const std::string& device)>;

/// All of it outlives the sweep.
template <class Work>
struct SweepServices {
  ExecutorOf<Work>& executor;
  Journal<Work>& journal;
  Progress<RowOf<Work>>& progress;
  Interrupts& interrupts;
  const Clock& clock;
  std::function<void()> keep;  ///< Called after each row, e.g. to write the document.
  RenewRoof renew_peak{};      ///< Called before a row becomes `invalid` for its rate; may be empty.
};

/// Returns the positions of rows without an `ok` result, in the order of `order`.
template <class Work>
std::vector<std::size_t> unfinished(const JournalState<Work>& state, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> positions;
  for (const std::size_t position : order) {
    const auto& result = state.rows.at(position).result;
    if (!result || result->status != RowStatus::kOk) positions.push_back(position);
  }
  return positions;
}

/// Runs the work of the journal at `position`, or skips it by a rule, and journals its row. After `deadline`
/// (on the clock of the services) a case ends with its current epoch.
template <class Work>
void run_position(const Work& work, std::size_t position, std::size_t index, std::size_t count,
                  std::optional<Seconds> deadline, const SweepServices<Work>& services);

/// Runs the work at these positions of the journal of `work`. A failure is a row, and the rest goes on.
/// Returns false if the user ended it.
template <class Work>
bool run_sweep(const std::vector<Work>& work, const std::vector<std::size_t>& positions,
               const SweepServices<Work>& services);

/// Returns the row of a case that is not tried.
CaseRecord skipped(const CaseRecord& planned, const std::string& rule, const std::string& reason);

}  // namespace gpubench
