#pragma once

#include <string>
#include <vector>

#include "app/commands/common_options.h"
#include "app/files/inputs.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Runs to compare, and their candidates.
struct ComparedRuns {
  std::vector<NamedRun> runs;                ///< Content of the files.
  std::vector<Candidate> candidates;         ///< The baseline first.
  std::vector<std::string> short_histories;  ///< See Baseline::short_histories.
};

/// Loads results of runs or tables of operations; with `--baseline history` also the earlier runs in the
/// store, whose errors are usage Errors.
ComparedRuns load_compared(const ComparedInputs& inputs, DocumentKind kind,
                           Selection selection = Selection::kUsable);

/// Returns "Too few earlier runs for a verdict: mlp, batch 128: 3 of 8."; empty without short histories.
std::vector<Paragraph> describe_short_histories(const std::vector<std::string>& histories);

}  // namespace gpubench
