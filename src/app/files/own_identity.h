#pragma once
// What a document says of the gpubench that wrote it, and what it does not say where it is shared.

#include <string>
#include <vector>

#include "gpubench/record/redaction.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// This program, called with `arguments`, in whose URLs no password stays; `finished_at` is left absent.
ToolRecord tool_record(const std::vector<std::string>& arguments, const std::string& started_at);

/// This host, the user who runs gpubench, and the user's home folder.
Identity own_identity();

}  // namespace gpubench
