#pragma once

#include <string>
#include <vector>

#include "compare/candidate.h"
#include "gpubench/record/edit.h"
#include "record/document/record_json.h"

namespace gpubench {

// Inputs are files, folders (their .json files, sorted by name) and "published:NAME". Loaders report skipped
// files on stderr. They throw a data Error for an unreadable named file or if they skip all files, and a
// usage Error for an unknown published result or a folder without .json files.

enum class Selection {
  kUsable,  ///< Skips documents of another kind, and runs without an ok case if another run has one.
  kAll,     ///< For a gate, which must not skip files: refuses other kinds, keeps runs without an ok case.
};

/// Returns the files in `inputs`. Throws a usage Error for a published result.
std::vector<std::string> list_input_files(const std::vector<std::string>& inputs);

/// Returns the results of runs or the tables of operations, as `wanted`, in the order of `inputs`. Published
/// backends of a machine form one table.
std::vector<NamedRun> load_runs(const std::vector<std::string>& inputs, DocumentKind wanted,
                                Selection selection = Selection::kUsable);

/// Returns the candidates of a comparison: one per run and device.
std::vector<Candidate> candidates_in(const std::vector<NamedRun>& runs);

/// Returns the kind to compare: that of a published result among `inputs`, else kOperations if they are only
/// tables of operations, else kRun.
DocumentKind compared_kind(const std::vector<std::string>& inputs);

}  // namespace gpubench
