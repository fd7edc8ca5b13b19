#pragma once
// Cases with all their repetitions taken together, as rows of a table.

#include <string>
#include <vector>

#include "gpubench/record/field_table.h"

namespace gpubench {

/// A case as it was run, once or several times. Points into the run.
struct CaseSummary {
  std::vector<const CaseRecord*> all;   ///< Its repetitions, in the order of the file.
  std::vector<const CaseRecord*> told;  ///< Those that ended well; else the first, however that ended.
  Measured<double> between_runs;        ///< halfwidth_between_runs() of those that ended well.

  bool is_ok() const;  ///< Whether any ended well.
};

/// In the order of the first repetitions.
std::vector<CaseSummary> aggregate_repeats(const RunRecord& run);

/// Key of the field that such a row has beside those of a case, next to `median_epoch_rel_ci95`.
inline constexpr const char* kBetweenRuns = "between_runs_halfwidth";

/// The fields of a case over all repetitions of a row: the median of figures (of rates the one of the median
/// time), texts where they differ one behind the other. `repeat` is `processes`: how many there were.
std::vector<Field<CaseSummary>> case_row_fields();

}  // namespace gpubench
