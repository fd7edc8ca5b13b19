#pragma once
// Figures computed from the raw values of a row, for reports and comparisons.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "gpubench/record/row_identity.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Returns the epochs after the warm-up; empty if the case ended earlier.
std::span<const double> steady_epochs(const CaseRecord& record);

/// Returns the summary of steady_epochs(), in seconds.
Measured<Summary> epoch_summary(const CaseRecord& record);

/// Returns a 95 % interval of the long-run median epoch of this process, in seconds. Uses blocks if timed.
Measured<Interval> epoch_interval(const CaseRecord& record);

/// Returns half the width of `interval` as a fraction of `median`.
Measured<double> halfwidth(const Measured<Interval>& interval, double median);

/// Returns the half-width of the 95 % interval between processes; needs three or more.
Measured<double> halfwidth_between_runs(std::span<const double> process_medians);

/// Returns the coefficient of variation of steady_epochs().
Measured<double> epoch_cv(const CaseRecord& record);

/// Returns the mean step time in each block of the last kMostStampedEpochs steady epochs, in seconds.
Measured<std::vector<double>> steady_step_seconds(const CaseRecord& record);

/// Returns the quantile `part` of steady_step_seconds().
Measured<double> step_quantile(const CaseRecord& record, double part);

/// Returns true if steady_epochs() have no trend: is_level() of their blocks, or of the epochs if not timed.
Measured<bool> is_steady(const CaseRecord& record);

/// Returns the trend of steady_epochs() per epoch, as a fraction of their median.
Measured<double> epoch_slope(const CaseRecord& record);

/// Returns the throughput: samples per epoch divided by the median of steady_epochs().
Measured<double> samples_per_second(const CaseRecord& record);

/// Returns T0 of T(n) = T0 + n t: set-up plus the extra time of the first epoch over the median, at least 0.
Measured<Seconds> startup(const CaseRecord& record);

/// Returns the value called `name`, or the reason why it is missing.
Measured<double> find_value(const Measured<NamedValues>& values, const std::string& name);

// Energy and sustained speed; see docs/energy.md.

/// Energy of a case: the sum over all parts of its device of one scope.
struct CaseEnergy {
  PowerScope scope = PowerScope::kUnknown;
  EnergyMethod method = EnergyMethod::kTrapezoid;
  std::string meter;
  double epoch_joules = 0;      ///< Gross energy per timed epoch.
  Measured<double> net_joules;  ///< Net energy per timed epoch; missing if below the change of idle power.
  Measured<double> idle_watts;  ///< Mean idle power before and after, summed over the parts.
  double mean_watts = 0;        ///< Mean power over the timed epochs.
  Measured<double> peak_watts;  ///< Peak power; missing for several parts.
};

/// Returns the energy of a case. Missing if no source measured its device.
Measured<CaseEnergy> case_energy(const CaseRecord& record);

/// Returns the gross energy per 1000 training samples.
Measured<double> joules_per_1000_samples(const CaseRecord& record);

/// Initial and long-run throughput. Heat and power limits lower the latter.
struct SustainedSpeed {
  double burst_samples_per_second = 0;      ///< Median over timed epochs that start in the first minute.
  double sustained_samples_per_second = 0;  ///< Median over the second half of the timed epochs.
  double kept = 0;                          ///< Sustained throughput divided by burst throughput.
  Measured<double> onset_seconds;           ///< Start of the first three epochs in a row below 95 % of burst.
};

/// Returns the sustained speed. Missing if the timed epochs span less than two minutes.
Measured<SustainedSpeed> sustained_speed(const CaseRecord& record);

// Utilization of the device and the limiter; see docs/timing.md.

/// Returns the training FLOP/s over all ranks: FLOP per sample times throughput.
Measured<double> flops_per_second(const CaseRecord& record);

/// Returns the training FLOP/s per rank, which is per device.
Measured<double> flops_per_second_per_rank(const CaseRecord& record);

/// Limiter if no resource takes most of the time.
inline constexpr const char* kNoBound = "none";

/// Returns the limiter: "input" or "exchange" if waiting for it takes over half of the time; else the largest
/// share of at least half: "compute", "memory" or "launch"; else kNoBound. Missing if a share is.
Measured<std::string> bottleneck(const CaseRecord& record);

/// Returns the most likely cause if bottleneck() is kNoBound: "other-processes", "kernels", ...
Measured<std::string> likely_cause(const CaseRecord& record);

/// Scaling of a case with several ranks, relative to a single rank.
struct ScalingRow {
  RowIdentity identity = make_identity(CaseRecord{});  ///< Identity of the case with several ranks.
  std::string kind;  ///< "strong": equal batch; "weak": equal batch per rank.
  std::int64_t ranks = 0;
  double samples_per_second = 0;         ///< Median throughput of all ranks.
  double single_samples_per_second = 0;  ///< Median throughput of the single rank.
  double efficiency = 0;                 ///< Ratio of the throughputs divided by the ranks.
  Measured<Interval> interval;           ///< 95 % interval of the efficiency; missing for few repeats.
  Measured<double> communication_share;  ///< Median over the repeats.
  Measured<double> imbalance;            ///< Median over the repeats.
};

/// Returns a row for each case of several ranks and each kind for which a single-rank case exists.
std::vector<ScalingRow> compute_scaling(const RunRecord& run);

// Figures of operations.

/// Returns the median time of a call with its 95 % interval, in seconds.
Measured<Estimate> call_time(const OpRecord& record);
/// Returns the FLOP/s at the median time; missing if a call only moves data.
Measured<double> flops_per_second(const OpRecord& record);

/// Returns the bus bandwidth of a collective: bytes per second times the bytes on each link per byte
/// (https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md).
Measured<double> bus_bytes_per_second(const OpRecord& record);

/// Fit of collective times by T(S) = latency + S / bandwidth, by least squares of relative errors (Hockney,
/// "The communication challenge for MPP", 1994).
struct LatencyFit {
  std::string op;
  std::int64_t ranks = 0;
  std::string backend;
  double latency_seconds = 0;
  double bytes_per_second = 0;  ///< Bandwidth in bytes of the collective, not of the bus.
  double worst = 0;             ///< Largest relative error of a row.
};

/// Returns a fit for each collective and number of ranks with at least three timed sizes, in order of rows.
std::vector<LatencyFit> latency_fits(const RunRecord& ops);
/// Returns the bytes per second at the median time.
Measured<double> bytes_per_second(const OpRecord& record);
/// Return the rate as a fraction of the device's peak. Missing above 1, as with data in caches.
Measured<double> flops_share(const OpRecord& record);
Measured<double> bandwidth_share(const OpRecord& record);
/// Returns the limiter as for a case, but without waits.
Measured<std::string> bottleneck(const OpRecord& record);
Measured<double> unexplained_share(const OpRecord& record);

/// Returns true if an `ok` row reaches less than 1 % of each bound. Integer types use the fp32 peak.
bool is_slow(const OpRecord& record);

}  // namespace gpubench
