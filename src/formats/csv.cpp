// RFC 4180, but for line ends, which are those of Unix.

#include "formats/entries.h"
#include "formats/parts/delimited.h"

namespace gpubench {
namespace {

/// Spreadsheets take text that begins so for a formula, and run it.
bool looks_like_formula(const std::string& text) {
  return !text.empty() && std::string("=+-@\t\r").find(text.front()) != std::string::npos && text != "-";
}

std::string quoted(const std::string& text) {
  const std::string harmless = looks_like_formula(text) ? "'" + text : text;
  if (harmless.find_first_of(",\"\r\n") == std::string::npos) return harmless;
  std::string quoted = "\"";
  for (const char c : harmless) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string render(const Page& page) { return delimited(page.data, ',', quoted); }

}  // namespace

ReportFormat entry_csv() { return {"csv", "all values, separated by commas", render, true}; }

}  // namespace gpubench
