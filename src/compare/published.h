#pragma once
// Published figures that are part of the program, for comparisons with a single machine.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/core/embedded_text.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

// Documents of results/reference and ops-published.tsv beside them, embedded by the build.
std::span<const EmbeddedText> published_texts();
std::span<const EmbeddedText> published_ops_texts();

/// Prefix of a publication's name on the command line.
inline constexpr std::string_view kPublished = "published:";

/// Returns the run of a document ("m1-ultra-rtx-2070-super") or of one of its devices ("rtx-2070-super"); or
/// the operations of a machine ("m3-max") or of one of its backends ("m3-max/mps"). Throws a usage Error.
RunRecord published_run(const std::string& name);

/// Returns all names that published_run() accepts. Those of the backends of a machine contain a slash.
std::vector<std::string> published_names();

/// Returns the names as inputs of commands: "published:m3-max/mps".
std::vector<std::string> published_inputs();

}  // namespace gpubench
