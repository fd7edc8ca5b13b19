#pragma once
// Runs the work of a plan, one piece after the other, and journals each row. Spends a time budget, first on
// every case that fits, then on repetitions. Searches for the largest batch, and forecasts the time of cases.
// No LibTorch.

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/api/model_cost.h"
#include "engine/execution/executor.h"
#include "engine/plan/plan.h"
#include "engine/sweep/journal.h"
#include "gpubench/core/clock.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

template <class Work>
using ExecutorOf = std::conditional_t<std::is_same_v<Work, Case>, CaseExecutor, OpExecutor>;

/// Measures the peak of the device of that name again; returns nothing on failure.
using RenewPeak = std::function<std::optional<DeviceRecord>(const std::string& device)>;

/// All of it outlives the sweep.
template <class Work>
struct SweepServices {
  ExecutorOf<Work>& executor;
  Journal<Work>& journal;
  Progress<RowOf<Work>>& progress;
  Interrupts& interrupts;
  const Clock& clock;
  std::function<void()> keep;  ///< Called after each row, e.g. to write the document.
  RenewPeak renew_peak{};      ///< Called before a row becomes `invalid` for its rate; may be empty.
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

/// Returns the highest repetition of the case at `position`.
std::int64_t count_repeats(const JournalState<Case>& state, std::size_t position);

/// Adds the next repetition of the case at `position` to the journal, and runs it.
void run_again(const Case& c, std::size_t position, std::size_t index, std::size_t count,
               const SweepServices<Case>& services);

/// Runs of each case of a plain run: as many as an interval between processes takes.
inline constexpr std::int64_t kPlainRepeats = 3;

/// A case with longer epochs is not repeated unless --repeat asks for it.
inline constexpr Seconds kLongestRepeatedEpoch{60};

/// Repeats cases that went well until each of them has run `count` times, each time in a fresh process.
/// `cases` are those of the journal. Returns false if the user ended it.
bool run_repeats(const std::vector<Case>& cases, std::int64_t count, const SweepServices<Case>& services);

/// Returns the row of a case that is not tried.
CaseRecord skipped(const CaseRecord& planned, const std::string& rule, const std::string& reason);

/// Result of a search.
struct MaxBatch {
  std::int64_t batch_size = 0;       ///< The largest that ran; 0 if none did.
  std::int64_t failed_size = 0;      ///< The smallest that failed; 0 if every sample fits into one batch.
  std::string failure;               ///< Status and reason of that one.
  Measured<Bytes> peak;              ///< Memory at the largest: of the device, or of the process on a CPU.
  Measured<Bytes> bytes_per_sample;  ///< Memory of one more sample.
};

/// Called after every trial.
using TellTrial = std::function<void(std::int64_t batch_size, const PilotResult& result)>;

/// Doubles the batch size of `c` until a trial fails, then halves the gap until it is below 1 % of the size;
/// each trial is a few steps in a process of its own. No batch is larger than the training data's `samples`.
MaxBatch find_max_batch(const Case& c, std::int64_t samples, CaseExecutor& executor, RowControl& control,
                        const TellTrial& tell);

/// Time limit of a run.
struct Budget {
  Seconds time;
  Seconds begin;  ///< On the clock of the services; before the cases.
};

/// Shows a sentence to the user.
using TellBudget = std::function<void(const std::string& sentence)>;

/// Runs the cases at these positions within `budget`, trials included; one case may exceed it. Cases without
/// time are journalled as `skipped`, rule "budget". The rest of the time goes to a second and a third process
/// of each case, round by round, then to the cases with the largest uncertainty, until it is below 1 % for
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
