#include "formats/parts/page_text.h"
#include "gpubench/report_writer.h"

namespace gpubench::tsv_plugin {

ReportFormat entry_tsv() {
  // Needs no quotes, since plain text has no tabs.
  const auto render = [](const Page& page) {
    return delimited(page.data, '\t', [](const std::string& text) { return text; });
  };
  return {"tsv", "all values as tab-separated text", render, true};
}

}  // namespace gpubench::tsv_plugin
