#pragma once
// What a document says of the gpubench that wrote it.

#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// This program, called with `arguments`, in whose URLs no password stays; `finished_at` is left absent.
ToolRecord tool_record(const std::vector<std::string>& arguments, const std::string& started_at);

}  // namespace gpubench
