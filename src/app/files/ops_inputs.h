#pragma once
// Tables of operations as people name them: files, published figures.

#include <string>
#include <vector>

#include "pages/ops/ops_page.h"

namespace gpubench {

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
