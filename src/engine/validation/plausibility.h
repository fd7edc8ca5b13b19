#pragma once
// Plausibility checks of rates, loss, memory growth and clocks. No LibTorch.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/api/model_cost.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Sets the row's peaks: arithmetic in its precision, memory bandwidth, launch latency. An operation's peak
/// is at least that of fp32, so that a type without fast hardware shows as slow.
void note_peak(CaseRecord& record, const Environment& environment);
void note_peak(OpRecord& record, const Environment& environment);

/// Raises peaks to the best rates of valid rows, and updates all rows. Idempotent. Ignores published runs.
void clamp_to_peaks(RunRecord& run);

/// Returns the time of a step at the row's peaks, without overlap of arithmetic, memory access and launches.
Measured<Seconds> step_time_at_peak(const StepCost& cost, const CaseRecord& record);

/// Describes a rate far above the device's peak in its precision or fp32; empty if plausible or unknown.
std::string implausible_rate(const CaseRecord& record, const Environment& environment);
std::string implausible_rate(const OpRecord& record, const Environment& environment);

/// Describes a loss that is not finite or did not fall in 200 steps; empty otherwise.
std::string divergence(std::span<const double> epoch_losses, std::int64_t steps_per_epoch);

/// Describes a loss that did not change in seven digits, which indicates a run without work; empty otherwise.
std::string standstill(std::span<const double> epoch_losses);

/// Returns warnings if host or device memory grows steadily after the warm-up: by more than 1 MiB and 0.1 %
/// per epoch, over at least 4 epochs.
std::vector<Warning> growth_warnings(const CaseRecord& record);

/// Returns a warning if the device and host clocks differ by more than 10 %. Ignores times below 1 ms.
std::optional<Warning> clock_warning(std::span<const double> device_seconds,
                                     std::span<const double> host_seconds);

}  // namespace gpubench
