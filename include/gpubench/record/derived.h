#pragma once
// Figures computed from a row's raw values. Writers and comparisons use these and never compute their own.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "gpubench/record/row_identity.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// The epochs that count: those after the warm-up. Empty where the case ended before them.
std::span<const double> steady_epochs(const CaseRecord& record);

/// Summary of the steady epochs, in seconds.
Measured<Summary> epoch_summary(const CaseRecord& record);

/// 95 % interval of the median steady epoch of this process in the long run, in seconds; by blocks if timed.
Measured<Interval> epoch_interval(const CaseRecord& record);

/// How well a median is known: half its interval as a part of it.
Measured<double> halfwidth(const Measured<Interval>& interval, double median);

/// How well a median is known between processes: half the 95 % interval of their medians, of three or more.
Measured<double> halfwidth_between_runs(std::span<const double> process_medians);

/// Standard deviation of the steady epochs as a part of their mean (coefficient of variation).
Measured<double> epoch_cv(const CaseRecord& record);

/// Seconds of a step in each block of the last kMostStampedEpochs steady epochs: its time by its steps.
Measured<std::vector<double>> steady_step_seconds(const CaseRecord& record);

/// The time of a step that `part` of those blocks do not exceed (compute_quantile() in stats.h).
Measured<double> step_quantile(const CaseRecord& record, double part);

/// Whether the steady epochs are level (see stats.h), by their blocks, else by their times, if they suffice.
Measured<bool> is_steady(const CaseRecord& record);

/// Change an epoch over the steady epochs, as a part of their median, by the same values.
Measured<double> epoch_slope(const CaseRecord& record);

/// Samples seen in an epoch divided by the median steady epoch.
Measured<double> samples_per_second(const CaseRecord& record);

/// T0 of T(n) = T0 + n t: set-up plus what the first epoch took beyond a median steady one, if anything.
Measured<Seconds> startup(const CaseRecord& record);

/// The value called `name`, or absent with the reason why `values` has none.
Measured<double> find_value(const Measured<NamedValues>& values, const std::string& name);

// Energy and sustained speed; docs/energy.md explains.

/// The energy that stands for a case: that of its device, over all parts of one scope.
struct CaseEnergy {
  PowerScope scope = PowerScope::kUnknown;
  EnergyMethod method = EnergyMethod::kTrapezoid;
  std::string meter;
  double epoch_joules = 0;      ///< Gross, of a mean timed epoch.
  Measured<double> net_joules;  ///< Less mean idle power over the epoch; missing within its uncertainty.
  Measured<double> idle_watts;  ///< Mean of before and after, of all parts together.
  double mean_watts = 0;        ///< Over the timed epochs.
  Measured<double> peak_watts;  ///< Highest of all parts together; absent for several parts.
};

/// Missing, with the reason, where no source measured the case's device, or none could.
Measured<CaseEnergy> case_energy(const CaseRecord& record);

/// Energy of a thousand samples of training.
Measured<double> joules_per_1000_samples(const CaseRecord& record);

/// Speed at first and in the long run, which heat and power limits lower.
struct SustainedSpeed {
  double burst_samples_per_second = 0;      ///< Median of the timed epochs that begin in the first minute.
  double sustained_samples_per_second = 0;  ///< Median of the last half of the timed epochs.
  double kept = 0;                          ///< The second over the first.
  Measured<double> onset_seconds;  ///< Until three epochs in a row are below 95 % of the first minute's.
};

/// Missing for cases whose timed epochs span less than two minutes.
Measured<SustainedSpeed> sustained_speed(const CaseRecord& record);

// How much of what the device could do a case used, and what held it back; docs/utilization.md explains.

/// FLOP of training a second: those counted for a sample times the throughput.
Measured<double> flops_per_second(const CaseRecord& record);

/// The same of one rank, and so of one device: they share the samples.
Measured<double> flops_per_second_per_rank(const CaseRecord& record);

/// Where none of the bounds explains most of the time.
inline constexpr const char* kNoBound = "none";

/// Returns what limits the speed: "input" or "exchange", where the wait for that is more than a half; else
/// the largest share of at least a half: "compute", "memory", "launch"; else kNoBound. Missing with a share.
Measured<std::string> bottleneck(const CaseRecord& record);

/// Most likely cause where there is no bound: "other-processes", "kernels", ...; see docs/utilization.md.
Measured<std::string> likely_cause(const CaseRecord& record);

/// A case of several ranks beside the same work of a single one, which exchanges nothing.
struct ScalingRow {
  RowIdentity identity = make_identity(CaseRecord{});  ///< Of the case with several ranks.
  std::string kind;  ///< "strong": the same batch; "weak": the same of a rank.
  std::int64_t ranks = 0;
  double samples_per_second = 0;
  double single_samples_per_second = 0;  ///< Of the single rank.
  double efficiency = 0;                 ///< The first over the second and over the ranks.
  Measured<Interval> interval;           ///< Of the efficiency; absent where repetitions are too few to tell.
  Measured<double> communication_share;  ///< Median over the repetitions, as the next.
  Measured<double> imbalance;
};

/// Returns one for each case of several ranks with such a partner, two for both kinds, in their order.
std::vector<ScalingRow> compute_scaling(const RunRecord& run);

// Of operations.

/// Median time of a call with its 95 % interval, in seconds; absent where there is none.
Measured<Estimate> call_time(const OpRecord& record);
/// FLOP and bytes a second at the median; absent where a call has none.
Measured<double> flops_per_second(const OpRecord& record);

/// Returns the bytes per second of a collective times what each link carries of a byte, for any number of
/// ranks (https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md).
Measured<double> bus_bytes_per_second(const OpRecord& record);

/// Times of a collective over its bytes as T(S) = latency + S / bandwidth (Hockney, "The communication
/// challenge for MPP", 1994): least squares of relative errors.
struct LatencyFit {
  std::string op;
  std::int64_t ranks = 0;
  std::string backend;
  double latency_seconds = 0;
  double bytes_per_second = 0;  ///< Of the collective's bytes, not of the bus.
  double worst = 0;             ///< The largest relative error of a row.
};

/// Returns one for each collective and number of ranks with three timed sizes or more, in the order of rows.
std::vector<LatencyFit> latency_fits(const RunRecord& ops);
Measured<double> bytes_per_second(const OpRecord& record);
/// The same as a part of the device's best. Missing above 1, where another bound holds, such as a cache's.
Measured<double> flops_share(const OpRecord& record);
Measured<double> bandwidth_share(const OpRecord& record);
/// The same as for a case, without waits.
Measured<std::string> bottleneck(const OpRecord& record);
Measured<double> unexplained_share(const OpRecord& record);

/// Returns whether the row is `ok`, yet below 1 % of its nearest bound: for whole numbers the peak of fp32.
bool is_slow(const OpRecord& record);

}  // namespace gpubench
