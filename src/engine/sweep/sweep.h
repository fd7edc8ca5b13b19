#pragma once
// Runs and records the work of a plan, spends time budgets, searches the largest batch. No LibTorch.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/model_cost.h"
#include "engine/execution/executor.h"
#include "engine/plan/plan.h"
#include "engine/sweep/recorder.h"
#include "gpubench/core/clock.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Measures the peak of the device of that name again; returns nothing on failure.
using RenewPeak = std::function<std::optional<DeviceRecord>(const std::string& device)>;

/// Notes the peaks of the device in each row. A case that exceeds them by far becomes `invalid`, unless
/// `renew`, which may be empty, finds a higher peak. The recorder outlives the observer.
std::unique_ptr<Observer> make_peak_observer(Recorder& recorder, RenewPeak renew);

/// All of it outlives the sweep.
struct SweepServices {
  Executor& executor;
  Observers observers;
  Recorder& recorder;
  Progress& progress;
  Interrupts& interrupts;
  const Clock& clock;
  std::function<void()> keep;  ///< Called after each row, e.g. to write the document.
};

/// Returns the positions of rows without an `ok` result, in the order of `order`.
std::vector<std::size_t> unfinished(const Recorder& recorder, const std::vector<std::size_t>& order);

/// Runs or skips the work at `position` and records its row. After `deadline` a case ends with its epoch.
void run_position(const Work& work, std::size_t position, std::size_t index, std::size_t count,
                  std::optional<Seconds> deadline, const SweepServices& services);

/// Runs the work at these positions. Failures are rows. Returns false if the user ended it.
bool run_sweep(const std::vector<Work>& work, const std::vector<std::size_t>& positions,
               const SweepServices& services);

/// Returns how often the case at `position` was run, or is planned to be.
std::int64_t count_repeats(const Recorder& recorder, std::size_t position);

/// Adds and runs one more repetition of the case at `position`.
void run_again(const Work& work, std::size_t position, std::size_t index, std::size_t count,
               const SweepServices& services);

/// Runs of each case of a plain run: as many as an interval between processes takes.
inline constexpr std::int64_t kPlainRepeats = 3;

/// Repeats successful cases up to `count` runs, each in a fresh process. Returns false if the user ended it.
bool run_repeats(const std::vector<Work>& cases, std::int64_t count, const SweepServices& services);

CaseRecord skipped(const CaseRecord& planned, const std::string& rule, const std::string& reason);

struct MaxBatch {
  std::int64_t batch_size = 0;       ///< The largest that ran; 0 if none did.
  std::int64_t failed_size = 0;      ///< The smallest that failed; 0 if every sample fits into one batch.
  std::string failure;               ///< Status and reason of that one.
  Measured<Bytes> peak;              ///< Memory at the largest: of the device, or of the process on a CPU.
  Measured<Bytes> bytes_per_sample;  ///< Memory of one more sample.
};

using TellTrial = std::function<void(std::int64_t batch_size, const PilotResult& result)>;

/// Doubles the batch size until a trial fails, then bisects to 1 %. No batch is larger than `samples`.
MaxBatch find_max_batch(const Case& c, std::int64_t samples, Executor& executor, RowControl& control,
                        const TellTrial& tell);

struct Budget {
  Seconds time;
  Seconds begin;  ///< On the clock of the services; before the cases.
};

using TellBudget = std::function<void(const std::string& sentence)>;

/// Runs the cases within `budget`, trials included; one case may exceed it. Cases without time are `skipped`,
/// rule "budget". The rest of the time goes to repetitions, until the uncertainty is below 1 % for all.
/// Returns false if the user ended it.
bool run_within_budget(const std::vector<Work>& cases, const std::vector<std::size_t>& positions,
                       const Budget& budget, const SweepServices& services, const TellBudget& tell);

struct Forecast {
  std::int64_t epochs;  ///< The fixed number; else the minimum for the target.
  Seconds training;     ///< Epochs and evaluation, without the start of the process.
};

/// Takes step_time_at_peak(). Missing if a peak is unknown or ranks exchange gradients.
Measured<Forecast> forecast(const Case& c, CaseRecord planned, const StepCosts& costs,
                            const Environment& environment);

}  // namespace gpubench
