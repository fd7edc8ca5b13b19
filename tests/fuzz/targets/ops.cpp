// Operation runs: read, checked, shown in all formats, redacted, written and read again.

#include "fuzz/documents.h"
#include "gpubench/report_writer.h"
#include "pages/run_page.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {
namespace {

void show(const RunRecord& ops) {
  const Page page = run_page(ops, "ops.json");
  for (const ReportFormat& format : report_formats()) format.render(page);
}

void read(std::string_view input) {
  accepts([&] { read_and_write(checked_document(input), ops_from_json, show, run_document); });
}

}  // namespace

Target entry_ops() { return {Shape::kJson, read}; }

}  // namespace gpubench::fuzz
