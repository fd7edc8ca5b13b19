#pragma once

#include <string>
#include <vector>

#include "app/commands/common_options.h"
#include "app/files/inputs.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// The sides of a comparison.
struct ComparedSides {
  std::vector<NamedRun> runs;  ///< The files.
  std::vector<Candidate>
      candidates;  ///< Of the baseline first, with the noise of equal runs that the store shows.
  std::vector<std::string> lacking;  ///< Rows without a verdict, see Past::lacking.
};

/// Loads the sides: trainings, or tables of operations. The store of this machine is read if it exists; a
/// failure is printed, and with `--baseline history` thrown as a usage Error.
ComparedSides load_sides(const ComparedInputs& inputs, DocumentKind kind,
                         Selection selection = Selection::kUsable);

/// "Too few earlier runs for a verdict: mlp, batch 128: 3 of 8."; empty if none lacks any.
std::vector<Paragraph> describe_lacking(const std::vector<std::string>& lacking);

}  // namespace gpubench
