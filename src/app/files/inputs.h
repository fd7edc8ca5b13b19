#pragma once
// Result files as people name them: files, folders, published figures.

#include <string>
#include <vector>

#include "compare/contender.h"
#include "gpubench/record/merge.h"
#include "pages/ops_page.h"

namespace gpubench {

/// The result files that `inputs` mean, in that order: a file is itself, a folder the .json files in it by
/// name, "published:NAME" figures that come with the program. What lies in a folder and is no result of a run
/// is told on stderr and passed over. Throws a data Error for a file that is named and cannot be read, a
/// usage Error for an unknown publication or a folder without results.
std::vector<NamedRun> load_runs(const std::vector<std::string>& inputs);

/// More files than these are compared without intervals, unless these are what they are read for.
inline constexpr std::size_t kMostWithIntervals = 64;

/// The same, reduced to what comparisons need as they are read, on all cores: for a thousand files.
std::vector<Contender> load_contenders(const std::vector<std::string>& inputs, bool needs_intervals);

/// What a document of gpubench is about.
enum class DocumentKind { kRun, kOperations, kPeak };

/// "runs", "operations". Throws a usage Error for any other.
DocumentKind document_kind_named(const std::string& name);

/// Those of `inputs` that are of this kind, folders and published figures included, and whatever cannot be
/// read: whoever reads it says why. The others are told on stderr. Throws a data Error where none is left.
std::vector<std::string> inputs_of_kind(const std::vector<std::string>& inputs, DocumentKind kind);

/// Whether any of `inputs` is a table of operations: a file of one, or a publication that only these have. A
/// file that cannot be read is none; whoever reads it says why.
bool are_ops(const std::vector<std::string>& inputs);

/// The tables that `inputs` mean, in that order; a machine's published backends are one table. Throws a usage
/// Error that names the input for one that is no table of operations, a data Error for a file that cannot be
/// read.
std::vector<NamedOps> load_ops(const std::vector<std::string>& inputs);

}  // namespace gpubench
