#include "formats/parts/page_text.h"
#include "gpubench/report_writer.h"

namespace gpubench::tsv_plugin {
namespace {

// Needs no quotes, since plain text has no tabs.
std::string render(const Page& page) {
  return delimited(page.data, '\t', [](const std::string& text) { return text; });
}

}  // namespace

ReportFormat entry_tsv() { return {"tsv", "all values as tab-separated text", render, true}; }

}  // namespace gpubench::tsv_plugin
