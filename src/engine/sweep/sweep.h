#pragma once
// Runs and records the work of a plan, within a time budget; finds the largest batch size. No LibTorch.

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

/// Measures the peak of the named device again. Returns nullopt on failure.
using RenewPeak = std::function<std::optional<DeviceRecord>(const std::string& device)>;

/// Adds the device's peaks to each row. A case far above them becomes `invalid`, unless `renew` (optional)
/// measures a higher peak. The recorder outlives the observer.
std::unique_ptr<Observer> make_peak_observer(Recorder& recorder, RenewPeak renew);

/// Dependencies of a sweep, which outlive it.
struct SweepServices {
  Executor& executor;
  Observers observers;
  Recorder& recorder;
  Progress& progress;
  Interrupts& interrupts;
  const Clock& clock;
  std::function<void()> keep;  ///< Called after each row, for example to write the result file.
};

/// Returns the positions of rows without an `ok` result, in the order of `order`.
std::vector<std::size_t> unfinished(const Recorder& recorder, const std::vector<std::size_t>& order);

/// Runs or skips the work at `position` and records its row. After `deadline`, a case ends after its epoch.
void run_position(const Work& work, std::size_t position, std::size_t index, std::size_t count,
                  std::optional<Seconds> deadline, const SweepServices& services);

/// Runs the work at these positions; failures become rows. Returns false after an interrupt.
bool run_sweep(const std::vector<Work>& work, const std::vector<std::size_t>& positions,
               const SweepServices& services);

/// Returns the number of repeats of the case at `position`, planned ones included.
std::int64_t count_repeats(const Recorder& recorder, std::size_t position);

/// Adds and runs one more repeat of the case at `position`.
void run_again(const Work& work, std::size_t position, std::size_t index, std::size_t count,
               const SweepServices& services);

/// Default number of repeats: the minimum for an interval between processes.
inline constexpr std::int64_t kPlainRepeats = 3;

/// Repeats successful cases until each has `count` runs, each in a fresh process. Skips cases with epochs
/// longer than a minute. Returns false after an interrupt.
bool run_repeats(const std::vector<Work>& cases, std::int64_t count, const SweepServices& services);

CaseRecord skipped(const CaseRecord& planned, const std::string& rule, const std::string& reason);

struct MaxBatch {
  std::int64_t batch_size = 0;   ///< Largest batch size that ran; 0 if none ran.
  std::int64_t failed_size = 0;  ///< Smallest size that failed; 0 if all samples fit into one batch.
  std::string failure;           ///< Status and reason of that failure.
  Measured<Bytes> peak;          ///< Peak memory at `batch_size`: device memory, or resident set on a CPU.
  Measured<Bytes> bytes_per_sample;  ///< Growth of the peak per sample.
};

using ReportTrial = std::function<void(std::int64_t batch_size, const Pilot& pilot)>;

/// Doubles the batch size until a trial fails, then bisects to 1 %. Limits the size to `samples`.
MaxBatch find_max_batch(const Case& c, std::int64_t samples, Executor& executor, RowControl& control,
                        const ReportTrial& report);

struct Budget {
  Seconds time;
  Seconds begin;  ///< Start of the budget, by the clock of the services.
};

using ReportBudget = std::function<void(const std::string& sentence)>;

/// Runs the cases within `budget`, which includes the pilots; one case may exceed it. Cases that do not fit
/// are `skipped` with rule "budget". Spends the remaining time on repeats until the uncertainty of all cases
/// is below 1 %. Returns false after an interrupt.
bool run_within_budget(const std::vector<Work>& cases, const std::vector<std::size_t>& positions,
                       const Budget& budget, const SweepServices& services, const ReportBudget& report);

struct Forecast {
  std::int64_t epochs;  ///< Fixed number of epochs, or the minimum for a target.
  Seconds training;     ///< Time of epochs and evaluation, without the start of the process.
};

/// Predicts the run time with step_time_at_peak(). Missing for an unknown peak or several ranks.
Measured<Forecast> forecast(const Case& c, CaseRecord planned, const StepCosts& costs,
                            const Environment& environment);

}  // namespace gpubench
