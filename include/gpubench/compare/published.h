#pragma once
// Published figures that come with the program, so that one machine has something to be compared with.

#include <span>
#include <string>
#include <vector>

#include "gpubench/core/embedded_text.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// The documents of results/reference.
std::span<const EmbeddedText> published_texts();

/// The published run that `name` means: that of a document, such as "m1-ultra-rtx-2070-super", or of one of
/// its devices, such as "rtx-2070-super", which then has that device's cases alone. Throws a usage Error that
/// names the nearest known one.
RunRecord published_run(const std::string& name);

/// All that published_run() takes.
std::vector<std::string> published_names();

}  // namespace gpubench
