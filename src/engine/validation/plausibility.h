#pragma once
// Plausibility of rates, loss, memory growth and clocks. No LibTorch.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/api/model_cost.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Records the peaks for the row's precision, memory bandwidth and launch latency. An operation's peak is at
/// least that of fp32, so that a type without fast arithmetic shows as slow.
void note_peak(CaseRecord& record, const Environment& environment);
void note_peak(OpRecord& record, const Environment& environment);

/// Raises peaks to the best rates of sound rows, and updates all rows. Idempotent. Keeps published figures.
void clamp_to_peaks(RunRecord& run);

/// Returns the time of a step at the peaks of its row, as if arithmetic, memory traffic and launches took
/// turns.
Measured<Seconds> step_time_at_peak(const StepCost& cost, const CaseRecord& record);

/// Explains a rate far above the device's peak, in its precision or fp32; empty if plausible or unknown.
std::string implausible_rate(const CaseRecord& record, const Environment& environment);
std::string implausible_rate(const OpRecord& record, const Environment& environment);

/// Explains a divergence: a loss that is not finite, or one that did not fall in 200 steps. Empty: none.
std::string divergence(std::span<const double> epoch_losses, std::int64_t steps_per_epoch);

/// Detects a run without work: the last loss equals the first to seven digits. Empty with a single epoch.
std::string standstill(std::span<const double> epoch_losses);

/// Warns if host or device memory grows steadily after the warm-up. Needs 4 epochs, and growth of more than
/// 1 MiB and 0.1 % an epoch.
std::vector<Warning> growth_warnings(const CaseRecord& record);

/// Warns, with the ratio, if the device's clock and the host's differ; nothing for very short windows.
std::optional<Warning> clock_warning(std::span<const double> device_seconds,
                                     std::span<const double> host_seconds);

}  // namespace gpubench
