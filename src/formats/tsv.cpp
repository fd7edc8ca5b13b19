#include "formats/parts/page_text.h"
#include "gpubench/report_writer.h"

namespace gpubench::tsv_plugin {
namespace {

// Plain text, which has no tabs, needs no quotes.
std::string render(const Page& page) {
  return delimited(page.data, '\t', [](const std::string& text) { return text; });
}

}  // namespace

ReportFormat entry_tsv() { return {"tsv", "all values, separated by tabs", render, true}; }

}  // namespace gpubench::tsv_plugin
