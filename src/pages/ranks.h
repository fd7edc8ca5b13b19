#pragma once
// What several ranks gain, on the page of a run and on that of several.

#include <string>
#include <vector>

#include "compare/row_names.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// What was scaled, whatever the number of ranks: "resnet50, weak".
std::string scaled_work(const ScalingRow& row, const RowNames& names);

/// The efficiency, in percent.
Estimate efficiency_percent(const ScalingRow& row);

/// A scaling and whose it is; empty where there is one owner alone.
struct OwnedScaling {
  std::string owner;
  const ScalingRow* row;
};

/// A line for each owner and work. A single rank is at 100 % by definition, and no point.
Chart efficiency_chart(const std::vector<OwnedScaling>& rows, const RowNames& names);

}  // namespace gpubench
