#pragma once
// Published figures that come with the program, so that one machine has something to be compared with.

#include <span>
#include <string>
#include <vector>

#include "gpubench/core/embedded_text.h"
#include "gpubench/record/ops_record.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

// As the build put them into the program: the documents of results/reference, and ops-published.tsv beside
// them.
std::span<const EmbeddedText> published_texts();
std::span<const EmbeddedText> published_ops_texts();

/// The published run that `name` means: that of a document, such as "m1-ultra-rtx-2070-super", or of one of
/// its devices, such as "rtx-2070-super", which then has that device's cases alone. Throws a usage Error that
/// names the nearest known one.
RunRecord published_run(const std::string& name);

/// All that published_run() takes.
std::vector<std::string> published_names();

/// The tables of operations that `name` means: "m3-max" those of each backend of a machine, "m3-max/mps" one
/// of them. Throws a usage Error that names the nearest known one.
std::vector<OpsRecord> published_ops(const std::string& name);

/// All names of machines with their backends, as "m3-max/mps".
std::vector<std::string> published_ops_names();

}  // namespace gpubench
