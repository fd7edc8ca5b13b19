#pragma once
// Result files as people name them: files, folders, published figures.

#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/record/merge.h"
#include "pages/ops_page.h"
#include "record/document/record_json.h"

namespace gpubench {

// `inputs` are files, folders, which stand for the .json files in them by name, and "published:NAME", figures
// that come with the program. What is left out is named on stderr; so is a file in a folder that cannot be
// read. Loaders throw a data Error for a named file that cannot be read and
// where nothing is left, a usage Error for an unknown publication or a folder without .json files.

/// Which inputs are compared.
enum class Selection {
  kUsable,  ///< Leaves out documents of another kind, and runs without an ok case if another has one.
  kAll,     ///< For a gate, which must not pass without a file: refuses the former, keeps the latter.
};

/// Returns the runs, in the order of `inputs`.
std::vector<NamedRun> load_runs(const std::vector<std::string>& inputs,
                                Selection selection = Selection::kUsable);

/// Returns the runs reduced to what comparisons need.
std::vector<Candidate> candidates_in(const std::vector<NamedRun>& runs);
std::vector<Candidate> load_candidates(const std::vector<std::string>& inputs,
                                       Selection selection = Selection::kUsable);

/// Returns what a comparison of `inputs` is about, kRun or kOperations: that of a publication among them,
/// else runs if there is one.
DocumentKind compared_kind(const std::vector<std::string>& inputs);

/// Returns the tables of operations, in the order of `inputs`; a machine's published backends are one table.
std::vector<NamedOps> load_ops(const std::vector<std::string>& inputs,
                               Selection selection = Selection::kUsable);

}  // namespace gpubench
