#pragma once
// Figures computed from a case's raw values. Writers and comparisons use these and never compute their own.

#include <span>

#include "gpubench/core/stats.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// The epochs that count: those after the warm-up. Empty where the case ended before them.
std::span<const double> steady_epochs(const CaseRecord& record);

/// Summary of the steady epochs, in seconds.
Reading<Summary> epoch_summary(const CaseRecord& record);

/// Samples seen in an epoch divided by the median steady epoch.
Reading<double> samples_per_second(const CaseRecord& record);

/// The first epoch, which carries lazy initialisation and kernel selection.
Reading<Seconds> first_epoch(const CaseRecord& record);

/// T0 of T(n) = T0 + n t: set-up plus what the first epoch took beyond a median steady one.
Reading<Seconds> startup(const CaseRecord& record);

/// The value called `name`, or absent with the reason why `values` has none.
Reading<double> value_of(const Reading<NamedValues>& values, const std::string& name);

}  // namespace gpubench
