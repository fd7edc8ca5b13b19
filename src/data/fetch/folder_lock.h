#pragma once
// One process at a time fills a dataset's folder.

#include <filesystem>
#include <string>

#include "gpubench/core/io/files.h"
#include "gpubench/core/units.h"

namespace gpubench {

/// Holds `folder`, which is made if need be, as long as the result lives; the system releases it if the
/// process dies. Works between the threads of a process too. Whoever holds it is waited for, with a message,
/// as long as something changes in the folder at least every `patience`. Throws a data Error after that, and
/// where the folder cannot be made or written, with the remedy `elsewhere`.
FileDescriptor locked_folder(const std::filesystem::path& folder, Seconds patience = {30},
                             const std::string& elsewhere = "choose another folder with --data-dir");

}  // namespace gpubench
