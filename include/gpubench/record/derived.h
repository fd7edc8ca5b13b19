#pragma once
// Figures computed from a case's raw values. Writers and comparisons use these and never compute their own.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpubench/core/stats/bootstrap.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/record/row_identity.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// The epochs that count: those after the warm-up. Empty where the case ended before them.
std::span<const double> steady_epochs(const CaseRecord& record);

/// Summary of the steady epochs, in seconds.
Reading<Summary> epoch_summary(const CaseRecord& record);

/// 95 % interval of the median steady epoch, in seconds; neighbouring epochs may resemble each other.
Reading<Interval> epoch_interval(const CaseRecord& record);

/// How well a median is known: half its interval as a part of it.
Reading<double> halfwidth(const Reading<Interval>& interval, double median);

/// Which steady epochs are outliers among them (see stats.h). Numbers of epochs from 1, the warm-up counted;
/// they are marked, and stay in every statistic.
std::vector<std::int64_t> outlier_epochs(const CaseRecord& record);

/// Whether the steady epochs are level (see trend.h); absent where they are too few to tell.
Reading<bool> is_steady(const CaseRecord& record);

/// Change an epoch over the steady epochs, as a part of their median; absent where they are too few to tell.
Reading<double> epoch_slope(const CaseRecord& record);

/// Samples seen in an epoch divided by the median steady epoch.
Reading<double> samples_per_second(const CaseRecord& record);

/// That of sequences, in tokens. Absent for other samples.
Reading<double> tokens_per_second(const CaseRecord& record);

/// exp of the mean loss of a token on the test split. Absent where samples are no sequences.
Reading<double> perplexity(const CaseRecord& record);

/// Evidence lower bound of a variational autoencoder on the test split, in nats a sample (Kingma and Welling,
/// "Auto-Encoding Variational Bayes", 2014). Absent for other models.
Reading<double> elbo(const CaseRecord& record);

/// The first epoch, which carries lazy initialisation and kernel selection.
Reading<Seconds> first_epoch(const CaseRecord& record);

/// T0 of T(n) = T0 + n t: set-up plus what the first epoch took beyond a median steady one.
Reading<Seconds> startup(const CaseRecord& record);

/// What a user's whole fit takes: set-up, all epochs, the validation after each. Protocol fit only.
Reading<Seconds> fit_time(const CaseRecord& record);

/// The first training figure, which is the loss, of the last epoch.
Reading<double> final_loss(const CaseRecord& record);

/// The value called `name`, or absent with the reason why `values` has none.
Reading<double> value_of(const Reading<NamedValues>& values, const std::string& name);

/// The repeats of one case, each run in a process of its own.
struct RepeatGroup {
  RowIdentity identity = identity_of(CaseRecord{});
  std::vector<double>
      medians;      ///< Median steady epoch of every repeat that ended well, in order, in seconds.
  Summary summary;  ///< Of `medians`: the spread between repeats, apart from that between epochs.
  Reading<Interval>
      interval;  ///< 95 % interval of the median of `medians`; these do not depend on each other.
};

/// A group for every case of which more than one repeat ended as ok, in the order of the first ones.
std::vector<RepeatGroup> repeat_groups(const RunRecord& run);

}  // namespace gpubench
