// Documents of `gpubench selftest`: read, checked, redacted, written and read again.

#include "fuzz/documents.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {
namespace {

void read(std::string_view input) {
  const auto show_nothing = [](const SelftestRecord&) {};
  accepts(
      [&] { read_and_write(checked_document(input), selftest_from_json, show_nothing, selftest_document); });
}

}  // namespace

Target entry_selftest() { return {Shape::kJson, read}; }

}  // namespace gpubench::fuzz
