// Training runs: read, checked, shown, redacted, written and read again.

#include "fuzz/documents.h"
#include "pages/run_page.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {
namespace {

void read(std::string_view input) {
  accepts([&] { read_and_write(checked_document(input), run_from_json, run_outcome, run_document); });
}

}  // namespace

Target entry_run() { return {Shape::kJson, read}; }

}  // namespace gpubench::fuzz
