// Documents of `gpubench peak`: checked, read, and written again.

#include "fuzz/documents.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {
namespace {

void read(std::string_view input) {
  accepts(
      [&] { require_same_again(peak_from_json(checked_document(input)), peak_document, peak_from_json); });
}

}  // namespace

Target entry_peak() { return {Shape::kJson, read}; }

}  // namespace gpubench::fuzz
