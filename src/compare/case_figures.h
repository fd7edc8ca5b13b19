#pragma once
// The median epoch of each case, repeats taken together.

#include <optional>
#include <vector>

#include "gpubench/core/bootstrap.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Where a case was run more than once and well, the median of its medians; else that of its epochs.
struct CaseFigure {
  const CaseRecord* record;  ///< The first such case; lives as long as the run.
  double seconds;            ///< Above zero.
  std::optional<Interval> interval;

  /// Samples a second; absent where the samples of an epoch are not told.
  std::optional<double> rate() const;
};

/// The cases that ended well, in the order of the run.
std::vector<CaseFigure> case_figures(const RunRecord& run);

}  // namespace gpubench
