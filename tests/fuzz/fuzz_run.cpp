// Any bytes, through everything that reads and writes documents.

#include <cstdint>
#include <string_view>

#include "gpubench/core/error.h"
#include "pages/run_page.h"
#include "record/check/document_check.h"
#include "record/document/document_file.h"
#include "record/document/json.h"
#include "require.h"

namespace {

using namespace gpubench;
using fuzz::require;

/// What was read can be shown, and is read again as it was written.
void write_and_read(const RunRecord& run) {
  run_table(run);
  const std::string text = run_document(run);
  const Json again = parse_document(text);
  require(again.at(kContentHashKey) == content_hash(again), "a document has the checksum of its content");
  require(run_document(run_from_json(again)) == text, "a document is written as it was read");
}

void read(std::string_view text) {
  const Json document = parse_document(text);
  document_faults(document);
  write_and_read(run_from_json(document));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    read({reinterpret_cast<const char*>(bytes), size});
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kData, "a refusal is a data Error");
  }
  return 0;
}
