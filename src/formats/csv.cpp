// RFC 4180 with Unix line ends.

#include "formats/parts/page_text.h"
#include "gpubench/report_writer.h"

namespace gpubench::csv_plugin {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string render(const Page& page) { return delimited(page.data, ',', quoted); }

}  // namespace

ReportFormat entry_csv() { return {"csv", "all values as comma-separated text", render, true}; }

}  // namespace gpubench::csv_plugin
