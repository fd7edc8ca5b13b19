#pragma once

#include <vector>

#include "app/commands/common_options.h"
#include "app/files/inputs.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Runs and their comparison.
struct ComparedRuns {
  std::vector<NamedRun> runs;  ///< Content of the files.
  Comparison comparison;
  std::vector<Paragraph> warnings;  ///< About rows with too few earlier runs for a verdict.
};

/// Loads and compares results of runs or tables of operations; with `--baseline history` also the earlier
/// runs in the store, whose errors are usage Errors. Throws a usage Error for options that tables of
/// operations do not support, for an invalid price and for an unknown machine.
ComparedRuns load_compared(const ComparedInputs& inputs, Selection selection = Selection::kUsable);

}  // namespace gpubench
