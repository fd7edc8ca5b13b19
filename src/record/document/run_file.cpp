#include "record/document/run_file.h"

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "record/document/document_file.h"
#include "record/document/record_json.h"

namespace gpubench {

RunRecord read_run_file(const std::filesystem::path& path) {
  const Json document = read_document(path);
  try {
    return run_from_json(document);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace gpubench
