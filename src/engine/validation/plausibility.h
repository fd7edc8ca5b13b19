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

/// Records the peaks of the row's device: of the precision of its products, of memory bandwidth, of the
/// latency of its kind of launches. The peak of an operation is at least that of fp32, so that a type without
/// fast arithmetic shows as slow.
void note_peak(CaseRecord& record, const Environment& environment);
void note_peak(OpRecord& record, const Environment& environment);

/// Raises the peaks of the devices to the best rates of sound rows, and updates the peaks of all rows, so
/// that no row is above its own. Idempotent. Published figures, and rows without a peak, stay as they are.
void clamp_to_peaks(RunRecord& run);
void clamp_to_peaks(OpsRecord& table);

/// Explains a rate of the row far above the peak of its device, in its precision or in fp32 if that is
/// faster. Empty if the rate is plausible or a figure is missing. Training without counted FLOP is taken for
/// three forward passes.
std::string implausible_rate(const CaseRecord& record, const Environment& environment);
std::string implausible_rate(const OpRecord& record, const Environment& environment);

/// Returns why a run with these losses, the mean of each epoch, has diverged; empty if it has not. A loss
/// that is not finite always counts; one that did not fall counts after at least 200 steps.
std::string divergence(std::span<const double> epoch_losses, std::int64_t steps_per_epoch);

/// Returns why a run with these losses did no work: the last loss equals the first to seven digits. Empty if
/// it did, or with a single epoch.
std::string standstill(std::span<const double> epoch_losses);

/// Returns warnings if host or device memory grows steadily after the warm-up, with the bytes an epoch: "host
/// memory grew by 12.3 MiB an epoch over the last 8 epochs". Needs 4 epochs, and growth of more than 1 MiB
/// and 0.1 % an epoch; memory that rises once, or rises and falls, does not grow.
std::vector<Warning> growth_warnings(const CaseRecord& record);

/// Returns whether the waits for results after each window were so long that the device had not been done
/// when the window closed. In seconds, one of each a sample.
bool was_still_busy(std::span<const double> windows, std::span<const double> waits);

/// Returns a warning, with the ratio, if the device's own clock and the host's differ over the same windows;
/// nothing for windows so short that starting and stopping count.
std::optional<Warning> clock_warning(std::span<const double> device_seconds,
                                     std::span<const double> host_seconds);

}  // namespace gpubench
