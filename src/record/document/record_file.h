#pragma once
// Result files and tables of operations from disk, whoever wrote them.
//
// Each function throws a data Error that names the file, and the key where there is one, for a file that
// cannot be read, is not what it should be, or is larger or nested deeper than document_file.h allows. The
// checksum is not compared; see document_check.h. Safe to call from several threads.

#include <filesystem>

#include "gpubench/record/ops_record.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

RunRecord read_run_file(const std::filesystem::path& path);
OpsRecord read_ops_file(const std::filesystem::path& path);

}  // namespace gpubench
