#pragma once
// Checks whether measurements are plausible: rates against the device peak, loss, memory growth, clocks. No
// LibTorch.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpubench/record/ops_record.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// nullptr where the environment lacks the device.
const DeviceRecord* device_named(const Environment& environment, const std::string& name);

/// Notes in `record` the part of its device's peak that applies to its precision and to the way in which its
/// operations were launched: peak_flops_per_second, where that is from, peak_bytes_per_second,
/// operation_latency.
void note_roof(CaseRecord& record, const Environment& environment);

/// Puts what the row's device can do at best into it: the peak of its type, but at least that of fp32, so
/// that a type without fast arithmetic shows as slow; memory bandwidth and launch latency.
void note_roof(OpRecord& record, const Environment& environment);

/// Lifts the peaks of the devices to the best rates that sound rows reached, and notes the peaks of all rows
/// that have one anew, so that none is above its own. Doing so again changes nothing. Published figures stay
/// as they are, and so does what has no peak to be above.
void clamp_to_peaks(RunRecord& run);
void clamp_to_peaks(OpsRecord& table);

/// Why the rate of the row is far above what its device can do: the peak of its precision, or that of fp32 in
/// `environment` where a narrower type is slower. Empty where it is not, or where one of the figures is
/// missing. Training that was not counted is taken for three forward passes.
std::string implausible_rate(const CaseRecord& record, const Environment& environment);
std::string implausible_rate(const OpRecord& record, const Environment& environment);

/// Why a run with these losses, the mean of each epoch in order, has diverged; empty where it has not. A loss
/// that is not finite always counts. One that did not fall counts from kJudgedSteps steps on: before that it
/// is chance.
std::string divergence(std::span<const double> epoch_losses, std::int64_t steps_per_epoch);

/// Why a run with these losses did no work; empty where it did, or where a single epoch cannot tell: the loss
/// of the last epoch is that of the first to seven digits.
std::string standstill(std::span<const double> epoch_losses);

inline constexpr std::int64_t kJudgedSteps = 200;

/// A warning each for host and device where memory grows steadily after the warm-up, its figure the bytes an
/// epoch: "host memory grew by 12.3 MiB an epoch over the last 8 epochs". At least 4 epochs are needed, and
/// growth of more than 1 MiB and 0.1 % an epoch; memory that rises once, or rises and falls, does not grow.
std::vector<Warning> growth_warnings(const CaseRecord& record);

/// Whether a result had to be waited for so long after each window that the device had not been done when the
/// window closed. All in seconds, one of each a sample.
bool was_still_busy(std::span<const double> windows, std::span<const double> waits);

/// Where the device's own clock and the host's, which timed the same windows, do not agree; nothing where
/// they do, and for windows so short that starting and stopping count. The figure says how many times apart
/// they are.
std::optional<Warning> clock_warning(std::span<const double> device_seconds,
                                     std::span<const double> host_seconds);

}  // namespace gpubench
