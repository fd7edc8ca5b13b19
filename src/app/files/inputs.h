#pragma once

#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/record/edit.h"
#include "record/document/record_json.h"

namespace gpubench {

// Inputs are files, folders (their .json files by name) and "published:NAME". Loaders print left-out files to
// stderr. They throw a data Error for an unreadable named file or if nothing is left, and a usage Error for
// an unknown publication or a folder without .json files.

enum class Selection {
  kUsable,  ///< Leaves out documents of another kind, and runs without an ok case if another has one.
  kAll,     ///< For a gate, which must not pass without a file: refuses the former, keeps the latter.
};

/// Returns the files in `inputs`. Throws a usage Error for a publication.
std::vector<std::string> list_input_files(const std::vector<std::string>& inputs);

/// Returns the runs, in the order of `inputs`.
std::vector<NamedRun> load_runs(const std::vector<std::string>& inputs,
                                Selection selection = Selection::kUsable);

/// Returns the runs reduced to what comparisons need.
std::vector<Candidate> candidates_in(const std::vector<NamedRun>& runs);

/// Returns kRun or kOperations: the kind of a publication among `inputs`, else kRun if there is a run.
DocumentKind compared_kind(const std::vector<std::string>& inputs);

/// Returns the tables of operations, in the order of `inputs`; a machine's published backends are one table.
std::vector<NamedRun> load_ops(const std::vector<std::string>& inputs,
                               Selection selection = Selection::kUsable);

}  // namespace gpubench
