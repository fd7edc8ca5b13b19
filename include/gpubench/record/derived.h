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

/// 95 % interval of the median steady epoch, in seconds: of what this process would take in the long run. By
/// the epochs' blocks where these have times, and then of a single epoch too. Another process differs.
Measured<Interval> epoch_interval(const CaseRecord& record);

/// How well a median is known: half its interval as a part of it.
Measured<double> halfwidth(const Measured<Interval>& interval, double median);

/// How well a median is known when the same is run afresh, from the medians of its processes: half their 95 %
/// interval as a part of their median. Missing for fewer than three.
Measured<double> halfwidth_between_runs(std::span<const double> process_medians);

/// Standard deviation of the steady epochs as a part of their mean (coefficient of variation).
Measured<double> epoch_cv(const CaseRecord& record);

/// Which steady epochs are outliers among them (see stats.h). Numbers of epochs from 1, the warm-up counted;
/// they are marked, and stay in every statistic.
std::vector<std::int64_t> outlier_epochs(const CaseRecord& record);

/// Seconds of a step in each block of the steady epochs, in order: the time of the block by its steps. Of the
/// last kMostStampedEpochs epochs; absent, with the reason, where blocks have no times.
Measured<std::vector<double>> steady_step_seconds(const CaseRecord& record);

/// The time of a step that `part` of those blocks do not exceed (compute_quantile() in stats.h).
Measured<double> step_quantile(const CaseRecord& record, double part);

/// Whether the steady epochs are level (see stats.h), by their blocks from two epochs on, by their times
/// where these have none. Missing where they are too few to tell.
Measured<bool> is_steady(const CaseRecord& record);

/// Change an epoch over the steady epochs, as a part of their median, by the same values.
Measured<double> epoch_slope(const CaseRecord& record);

/// Samples seen in an epoch divided by the median steady epoch.
Measured<double> samples_per_second(const CaseRecord& record);

/// That of sequences, in tokens. Missing for other samples.
Measured<double> tokens_per_second(const CaseRecord& record);

/// exp of the mean loss of a token on the test split. Missing where samples are no sequences.
Measured<double> perplexity(const CaseRecord& record);

/// Evidence lower bound of a variational autoencoder on the test split, in nats a sample (Kingma and Welling,
/// "Auto-Encoding Variational Bayes", 2014). Missing for other models.
Measured<double> elbo(const CaseRecord& record);

/// The first epoch, which carries lazy initialisation and kernel selection.
Measured<Seconds> first_epoch(const CaseRecord& record);

/// T0 of T(n) = T0 + n t: set-up plus what the first epoch took beyond a median steady one. Never below the
/// set-up, which is timed by itself.
Measured<Seconds> startup(const CaseRecord& record);

/// What a user's whole fit takes: set-up, all epochs, the validation after each. Protocol fit only.
Measured<Seconds> fit_time(const CaseRecord& record);

/// The first training figure, which is the loss, of the last epoch.
Measured<double> final_loss(const CaseRecord& record);

/// The value called `name`, or absent with the reason why `values` has none.
Measured<double> find_value(const Measured<NamedValues>& values, const std::string& name);

// Energy and sustained speed; docs/energy.md explains.

/// The energy that stands for a case: that of its device, over all parts of one scope (two processor
/// packages, say).
struct CaseEnergy {
  PowerScope scope = PowerScope::kUnknown;
  EnergyMethod method = EnergyMethod::kTrapezoid;
  std::string meter;
  double epoch_joules = 0;      ///< Gross, of a mean timed epoch.
  Measured<double> net_joules;  ///< Less idle power (mean of before and after) times the epoch's time.
                                ///< Missing where it is within the difference of before and after.
  Measured<double> idle_watts;  ///< Mean of before and after, of all parts together.
  double mean_watts = 0;        ///< Over the timed epochs.
  Measured<double> peak_watts;  ///< Highest of all parts together; absent for several parts.
};

/// Missing, with the reason, where no source measured the case's device, or none could.
Measured<CaseEnergy> case_energy(const CaseRecord& record);

/// Energy of a thousand samples of training.
Measured<double> joules_per_1000_samples(const CaseRecord& record);

/// Speed at first and in the long run: small cases and power limits let machines begin faster than they go
/// on.
struct SustainedSpeed {
  double burst_samples_per_second = 0;      ///< Median of the timed epochs that begin in the first minute.
  double sustained_samples_per_second = 0;  ///< Median of the last half of the timed epochs.
  double kept = 0;                          ///< The second over the first.
  Measured<double> onset_seconds;  ///< From when on, since the first timed epoch, the median of all that
                                   ///< follows is below 95 % of the first minute's.
};

/// Missing for cases whose timed epochs span less than two minutes.
Measured<SustainedSpeed> sustained_speed(const CaseRecord& record);

// How much of what the device could do a case used, and what held it back; docs/utilization.md explains.

/// FLOP of training a second: those counted for a sample times the throughput.
Measured<double> flops_per_second(const CaseRecord& record);

/// The same of one rank, and so of one device: they share the samples.
Measured<double> flops_per_second_of_rank(const CaseRecord& record);

/// Model FLOP utilisation: `flops_per_second` as a part of the device's peak in this precision. A share is
/// never above 1: what would be is absent, since its bound is not the one that was measured.
Measured<double> mfu(const CaseRecord& record);

// The least time that a median epoch would take if nothing but this held it back, as a part of it: memory
// traffic at the measured bandwidth, operations at the least time of one. For arithmetic that is mfu().
Measured<double> memory_share(const CaseRecord& record);
Measured<double> launch_share(const CaseRecord& record);

/// Median time that an epoch waited for batches, as a part of it. Loader host only.
Measured<double> input_share(const CaseRecord& record);

/// Where none of the bounds explains most of the time.
inline constexpr const char* kNoBound = "none";

/// Name of what most of the time goes into: "input" or "exchange", where waiting for that takes more than
/// half of it; else "compute", "memory" or "launch", whichever of these shares is largest and at least a
/// half; else kNoBound. Missing where one of the three shares is not known.
Measured<std::string> bottleneck(const CaseRecord& record);

/// The part of the time that neither the largest of the three shares nor waiting explains.
Measured<double> unexplained_share(const CaseRecord& record);

/// Most likely cause of that part, where there is no bound: "other-processes", "launch", "kernels", ...;
/// docs/utilization.md has all.
Measured<std::string> likely_cause(const CaseRecord& record);

// Of several ranks.

/// Median over the epochs after the warm-up of what the rank that waited least waited for exchanges, as a
/// part of the epoch: what communication costs that no rank's slowness explains.
Measured<double> communication_share(const CaseRecord& record);

/// Median over these epochs of how far the busiest rank is above the mean of all.
Measured<double> median_imbalance(const CaseRecord& record);

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

/// One for each case with several ranks that has such a partner; two where it is one of both kinds. In the
/// order of the cases.
std::vector<ScalingRow> compute_scaling(const RunRecord& run);

// Of operations.

/// Median time of a call with its 95 % interval, in seconds; absent where there is none.
Measured<Estimate> call_time(const OpRecord& record);
/// FLOP and bytes a second at the median; absent where a call has none.
Measured<double> flops_per_second(const OpRecord& record);

/// Of a collective: its bytes over its time, times what an ideal network would have to carry of each, so that
/// the figure is that of the links whatever the number of ranks. Factors and bytes are those of nccl-tests
/// (https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md).
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

/// One for each collective and number of ranks with three sizes or more that have a time. In the order of the
/// rows.
std::vector<LatencyFit> latency_fits(const RunRecord& ops);
Measured<double> bytes_per_second(const OpRecord& record);
/// The same as a part of the device's best. Missing where that would be more than 1, as bytes in a cache are.
Measured<double> flops_share(const OpRecord& record);
Measured<double> bandwidth_share(const OpRecord& record);
/// Median time of a call by itself less that in a graph: what launching costs.
Measured<Seconds> launch_cost(const OpRecord& record);
/// The same as for a case, without waits.
Measured<std::string> bottleneck(const OpRecord& record);
Measured<double> unexplained_share(const OpRecord& record);
Measured<std::string> likely_cause(const OpRecord& record);

/// Whether the row is `ok`, yet reaches less than 1 % of what its nearest bound allows. Whole numbers are
/// held against the peak of fp32.
bool is_slow(const OpRecord& record);

}  // namespace gpubench
