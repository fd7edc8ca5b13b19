#include "record/document/record_file.h"

#include "gpubench/core/error.h"
#include "record/document/document_file.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

template <class Record>
Record read_file(const std::filesystem::path& path, Record (*from_json)(const Json&)) {
  const Json document = read_document(path);
  try {
    return from_json(document);
  } catch (const Error& error) {
    throw Error(error.kind(), "{}: {}", path.string(), error.what());
  }
}

}  // namespace

RunRecord read_run_file(const std::filesystem::path& path) { return read_file(path, run_from_json); }

OpsRecord read_ops_file(const std::filesystem::path& path) { return read_file(path, ops_from_json); }

}  // namespace gpubench
