#pragma once
// Result files from disk, whoever wrote them.

#include <filesystem>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// The run of the result file at `path`. Throws a data Error that names the file, and the key where there is
/// one, for a file that cannot be read, is no result of gpubench, or is larger or nested deeper than
/// document_file.h allows. The checksum is not compared; see document_check.h. Safe to call from several
/// threads.
RunRecord read_run_file(const std::filesystem::path& path);

}  // namespace gpubench
